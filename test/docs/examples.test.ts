import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { readScenario } from "../../clients/cli/scenario/scenario.ts";
import { plan } from "../../shared/engine/index.ts";
import { ccscale } from "../clients/cli/in-process.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";

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
