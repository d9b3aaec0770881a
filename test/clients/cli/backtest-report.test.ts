import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";

const example = (name: string) => join(import.meta.dirname, "../../../examples/spot", name);

const folder = ownFolder();
let short: string;
beforeAll(async () => {
  short = folder("short.json");
  const jobs = [0, 1, 2, 3].map((index) => ({
    name: `job-${index}`,
    submitSeconds: index * 1_200,
    runSeconds: 600,
    constraints: { ncpus: 4 },
  }));
  await writeFile(short, JSON.stringify(jobs));
});
const run = (trace: string, ...more: readonly string[]) =>
  ccscale([
    ...["backtest", "--trace", trace, "--config", example("autoscale.json")],
    ...["--cluster", example("cluster.json"), "--workers", "1", ...more],
  ]);

interface Figures {
  readonly cost: { readonly total: { readonly nanoUsd: number } };
}

describe("ccscale backtest --report", () => {
  test("one file with all runs, byte for byte the same again; no run costs less than the bound in it", async () => {
    const vary = ["--vary", "idle_timeout=60,900", "--format", "json"];
    const [first, second] = [folder("a.html"), folder("b.html")];
    const { code, stdout, stderr } = await run(short, ...vary, "--report", first);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Wrote "${first}".\n` });
    await run(short, ...vary, "--report", second);
    const page = await readFile(first, "utf8");
    expect(await readFile(second, "utf8")).toBe(page);
    expect(page).toContain("idle_timeout 900");
    const [, bound] = /Lower bound: \$([\d.]+)/.exec(page) ?? [];
    expect(Number(bound)).toBeGreaterThan(0);
    const runs = JSON.parse(stdout) as readonly Figures[];
    expect(runs.length).toBe(2);
    for (const { cost } of runs) expect(cost.total.nanoUsd / 1e9).toBeGreaterThan(Number(bound));
  });

  test("what cannot be written is said", async () => {
    const { code, stderr } = await run(short, "--report", folder("none", "a.html"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Cannot write ".*a\.html": ENOENT/);
  });
});

describe("ccscale backtest --suggest", () => {
  test("says what to change, how sure that is, and how long it searched", async () => {
    const { code, stdout, stderr } = await run(short, "--suggest", "--suggest-runs", "3");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const sentences = stdout.trim().split("\n");
    expect(sentences[0]).toMatch(/^(Use |Not sure: |Keep the settings)/);
    expect(sentences.at(-1)).toMatch(/^3 runs on the first part of the workload; the budget was over/);
  });

  test("a schedule that was found is printed as a part of a configuration, which --with takes", async () => {
    const search = ["--suggest", "schedules", "--suggest-runs", "6"];
    const alone = await run(short, ...search, "--workers", "2");
    const sentences = alone.stdout.trim().split("\n");
    expect(sentences[0]).toMatch(
      /^Use 1 spare node of .* every day \(UTC\)\.$|^Use 1 spare node of .* on weekdays \(UTC\)\.$/,
    );
    const part = folder("schedules.json");
    await writeFile(part, sentences.at(-1) ?? "");
    const beside = await run(short, ...search, "--format", "json");
    expect(beside.stderr).toBe(alone.stdout);
    expect(JSON.parse(beside.stdout)).toHaveLength(1);
    const vary = ["--vary", "schedules.suggested.paused=true,false", "--format", "json"];
    const { code, stdout } = await run(short, "--with", part, ...vary);
    expect(code).toBe(0);
    const [without, kept] = JSON.parse(stdout) as readonly (Figures & {
      readonly waitSeconds: { readonly mean: number };
    })[];
    expect(kept?.cost.total.nanoUsd).toBeGreaterThan(without?.cost.total.nanoUsd ?? 0);
    expect(kept?.waitSeconds.mean).toBeLessThan(without?.waitSeconds.mean ?? 0);
  });

  test("a part that cannot be used is refused before anything runs", async () => {
    const { code, stderr, stdout } = await run(short, "--with", folder("none.json"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: Cannot use ".*none\.json":\n.*expected one that exists/);
  });

  test("one job is too few", async () => {
    const one = folder("one.json");
    await writeFile(one, JSON.stringify([{ name: "a", runSeconds: 60 }]));
    const { stdout } = await run(one, "--suggest");
    expect(stdout).toBe(
      "No suggestion: the workload is too short to tune on one part and check on another.\n",
    );
  });
});
