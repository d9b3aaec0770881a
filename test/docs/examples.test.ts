import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readScenario } from "../../clients/cli/scenario/scenario.ts";
import { loadDefinition, parseDefinition } from "../../infra/local/cyclecloud/index.ts";
import { parseWorkload } from "../../infra/local/scheduler/workload.ts";
import { parseConfig } from "../../shared/config/index.ts";
import { plan } from "../../shared/engine/index.ts";
import { ccscale } from "../clients/cli/in-process.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { runSeed } from "../sim/run.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync("examples/scenarios/*.json", { cwd: root }).toSorted();
const shown = join(import.meta.dirname, "plans");

describe("examples/scenarios", () => {
  test("there are some, and the README names each", () => {
    const readme = readFileSync(join(root, "examples/README.md"), "utf8");
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !readme.includes(`\`${basename(file, ".json")}\``))).toEqual([]);
  });

  test.each(files)("%s is planned, validly, without a warning", async (file) => {
    const path = join(root, file);
    const json = { name: file, ...JSON.parse(readFileSync(path, "utf8")) };
    const { input, warnings } = await readScenario(json, { path, compatibility: "none" });
    const planned = plan(input);
    expect([...warnings, ...planned.warnings]).toEqual([]);
    expect(violationsOf(input, planned)).toEqual([]);
    const { stdout } = await ccscale(["plan", "--example", basename(file, ".json")]);
    await expect(stdout).toMatchFileSnapshot(join(shown, `${basename(file, ".json")}.txt`));
  });

  test("an example that does not exist is refused with the names of those that do", async () => {
    const { stderr, code } = await ccscale(["plan", "--example", "no-such"]);
    expect(stderr).toContain("tiny-gang");
    expect(code).toBe(1);
  });
});

describe("examples/spot", () => {
  const folder = join(root, "examples/spot");
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));

  test("its configuration holds, and pairs arrays that its cluster has", async () => {
    const definition = parseDefinition(await loadDefinition(join(folder, "cluster.json")));
    const connection = { cluster_name: definition.name, url: "http://127.0.0.1:1", username: "demo" };
    const parsed = parseConfig({
      cluster: definition.name,
      json: { ...connection, ...z.record(z.string(), z.unknown()).parse(read("autoscale.json")) },
    });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const { spot } = parsed.config.cycle;
    const isSpot = new Map(definition.nodearrays.map(({ name, interruptible }) => [name, interruptible]));
    expect(spot?.pairs.map((pair) => [isSpot.get(pair.spot), isSpot.get(pair.regular)])).toEqual([
      [true, false],
    ]);
  });

  test("its jobs run to the end, spot nodes first, and no promise is broken", async () => {
    const definition = await loadDefinition(join(folder, "cluster.json"));
    const jobs = parseWorkload(readFileSync(join(folder, "jobs.json"), "utf8"));
    const config = z.record(z.string(), z.unknown()).parse(read("autoscale.json"));
    const script = { clusters: [{ definition, jobs, config }], happenings: [], troubleSeconds: 3_000 };
    const lines: string[] = [];
    const report = await runSeed({
      scenario: { name: "examples-spot", about: "the example", draw: () => script },
      seed: 1,
      faults: [],
      trace: (line) => lines.push(line),
    });
    expect(report.violations).toEqual([]);
    expect(lines.some((line) => line.includes("htc-spot-"))).toBe(true);
  });
});
