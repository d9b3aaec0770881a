import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { barOf } from "../../../clients/cli/backtest/progress-bar.ts";
import { combinations, readVaried, withValues } from "../../../clients/cli/backtest/vary.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";

const example = (name: string) => join(import.meta.dirname, "../../../examples/backtest", name);
const cluster = example("cluster.json");
const folder = ownFolder();
let trace: string;
let config: string;
beforeAll(async () => {
  trace = folder("trace.swf");
  config = folder("hpc.json");
  const lines = Array.from(
    { length: 12 },
    (_, index) => `${index} ${index * 500} -1 900 ${4 + index} -1 -1 ${4 + index} 1200`,
  );
  await writeFile(trace, lines.join("\n"));
  await writeFile(config, JSON.stringify({ idle_timeout: 300, placement: "reuse" }));
});
/** In this thread, where the test does not say otherwise: a thread loads the command line again. */
const backtest = (...more: readonly string[]) => ccscale(["backtest", "--workers", "1", ...more]);
const run = (...more: readonly string[]) =>
  backtest("--trace", trace, "--config", config, "--cluster", cluster, ...more);

describe("ccscale backtest on a cluster", () => {
  test("a line for each combination, the cheapest and the fastest marked", async () => {
    const { code, stdout } = await run("--vary", "idle_timeout=60,3600", "--format", "csv");
    const [heading = "", ...rows] = stdout.trim().split("\n");
    expect(code).toBe(0);
    expect(heading).toMatch(/^run,idle_timeout,cost_usd,front,wait_mean,/);
    expect(rows.map((row) => row.split(",").slice(0, 2))).toEqual([
      ["1", "60"],
      ["2", "3600"],
    ]);
    const costs = rows.map((row) => Number(row.split(",")[2]));
    expect(costs[0]).toBeLessThan(costs[1] ?? 0);
  });

  test("waits and money by the hour of the week add up to those of each run, on the clock that is named", async () => {
    const vary = ["--vary", "idle_timeout=60,3600", "--format", "csv"];
    const rowsOf = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split(","));
    const [head = [], ...lines] = rowsOf((await run(...vary)).stdout);
    const week = async (zone: string) => {
      const { code, stdout } = await run(...vary, "--print", "week", "--time-zone", zone);
      const [heading = [], ...hours] = rowsOf(stdout);
      expect({ code, hours: hours.length }).toEqual({ code: 0, hours: 168 });
      expect(heading).toEqual(["day", "hour", "wait_hours_1", "cost_usd_1", "wait_hours_2", "cost_usd_2"]);
      return hours;
    };
    const utc = await week("UTC");
    const sum = (column: number) => utc.reduce((all, cells) => all + Number(cells[column]), 0);
    for (const [index, cells] of lines.entries()) {
      expect(sum(3 + 2 * index)).toBeCloseTo(Number(cells[head.indexOf("cost_usd")]), 1);
      const waitedHours = (Number(cells[head.indexOf("wait_mean")]) * 12) / 3_600;
      expect(sum(2 + 2 * index)).toBeCloseTo(waitedHours, 2);
    }
    const paidIn = (hours: readonly (readonly string[])[]) =>
      hours.filter((cells) => Number(cells[3]) > 0).map(([day, hour]) => `${day} ${hour}`);
    // A workload without a clock begins on a Friday at 0:00 UTC.
    expect(paidIn(utc).slice(0, 2)).toEqual(["Fri 0", "Fri 1"]);
    expect(paidIn(await week("Asia/Tokyo")).slice(0, 2)).toEqual(["Fri 9", "Fri 10"]);
  });

  test("a table names the hours of the week in which a run waits less than the first", async () => {
    const part = folder("spare.json");
    const spare = { targets: [{ Name: "htc", SpareCount: 1 }] };
    await writeFile(part, JSON.stringify({ schedules: { spare } }));
    const vary = ["--vary", "schedules.spare.targets.0.SpareCount=0,1"];
    const { stderr } = await run("--with", part, ...vary);
    expect(stderr).toMatch(
      /Run 2 saves most of the waiting of run 1 in these hours of the week \(UTC\): Fri 0:00 0\.\d h \(\$\d+\.\d\d\)/,
    );
  });

  test("the same on threads, byte for byte", async () => {
    const vary = ["--vary", "idle_timeout=60,3600", "--vary", "placement=order,cost", "--format", "json"];
    const [one, two] = [await run(...vary), await run(...vary, "--workers", "2")];
    expect(one.code).toBe(0);
    expect(two.stdout).toBe(one.stdout);
    expect((JSON.parse(one.stdout) as readonly object[]).length).toBe(4);
  }, 300_000);

  test("a value that cannot be used, and a setting that there is not, are refused before anything runs", async () => {
    const bad = await run("--vary", "idle_timeout=60,soon");
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toContain("idle_timeout");
    const unknown = await run("--vary", "idle_timeot=60");
    expect(unknown.stderr).toBe(
      'error: Cannot vary the settings:\n  - idle_timeot: unknown; did you mean "idle_timeout"?\nFix --vary, then try again.\n',
    );
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
  });

  test.each([
    ["idle_timeout.htcc=60", 'idle_timeout.htcc: the cluster has no node array "htcc"; did you mean "htc"?'],
    ["nodearrays.gpu.placement=cost", 'nodearrays.gpu: the cluster has no node array "gpu"; it has htc'],
  ])("a node array that the cluster does not have is refused: --vary %s", async (vary, says) => {
    const { code, stdout, stderr } = await run("--vary", vary);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  });

  test("disks of deallocated nodes and unused reservations have columns of their own", async () => {
    const file = folder("beside.json");
    const rule = { name: "paid", select: { "node.vm_size": "Standard_D48s_v5" }, reserved_nodes: 1 };
    const deallocate = { most: 5 };
    await writeFile(file, JSON.stringify({ price_rules: [rule], nodearrays: { htc: { deallocate } } }));
    const vary = ["--vary", "nodearrays.htc.deallocate.most=0,5"];
    const paid = await run(
      "--config",
      file,
      "--vary",
      "nodearrays.htc.deallocate.disk_usd_per_hour=0.1",
      ...vary,
    );
    expect(paid.stderr).toBe("");
    const [heading = "", ...rows] = paid.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    const column = (name: string) => rows.map((cells) => Number(cells[heading.indexOf(name)]));
    expect(column("DISKS_USD")).toEqual([0, expect.toSatisfy((usd: number) => usd > 0.1)]);
    for (const usd of column("UNUSED_RESERVED_USD")) expect(usd).toBeGreaterThan(0);
    const unknown = await run("--config", file);
    expect(unknown.stderr).toBe('No price is known of the disks of deallocated "htc": it is left out.\n');
  });

  test("sizes without a price are named", async () => {
    const own = folder("own.json");
    const size = { family: "own", vcpus: 64, pcpus: 64, memoryGiB: 256 };
    const definition = {
      name: "own",
      region: "here",
      quotas: { here: { cores: 640 } },
      nodearrays: [{ name: "only", machineTypes: ["Own_64"] }],
      vmSizes: { Own_64: size },
    };
    await writeFile(own, JSON.stringify(definition));
    const { stderr } = await backtest("--trace", trace, "--config", config, "--cluster", own);
    expect(stderr).toBe(
      "No price is known of only/Own_64: COST_USD is empty, and runs are compared by NODE_HOURS. Give one with price_per_hour_usd of vm_sizes.\n",
    );
  });

  test("jobs that can never run are named beside the table", async () => {
    const wide = folder("wide.json");
    const jobs = [{ name: "wide", runSeconds: 60, constraints: { ncpus: 5_000 } }];
    await writeFile(wide, JSON.stringify(jobs));
    const { code, stderr } = await backtest("--trace", wide, "--config", config, "--cluster", cluster);
    expect(code).toBe(0);
    const [first, second] = stderr.split("\n");
    expect(first).toBe(
      "1 job never ran (wide): No node of the cluster can hold it, even if nothing else runs.",
    );
    expect(second).toMatch(/^ {2}5 buckets of htc: too small, the job asks for 5000 "ncpus" per place/);
  });

  test.each([
    [
      "a moment among lengths",
      [
        { name: "a", runSeconds: 60 },
        { name: "b", runSeconds: 60, submitSeconds: 1_800_000_000 },
      ],
      'its jobs are submitted over more than ten years\nJob "a" is the first, at 0 s; job "b" is the last, at 1800000000 s.',
    ],
    [
      "more tasks than memory has room for",
      [{ name: "a", runSeconds: 60, iterations: 100_000_000 }],
      "it has 100000000 jobs with the tasks of arrays, expected at most 10000000",
    ],
  ])("%s is refused before anything runs", async (_, jobs, message) => {
    const list = folder("jobs.json");
    await writeFile(list, JSON.stringify(jobs));
    const { code, stdout, stderr } = await backtest(
      "--trace",
      list,
      "--config",
      config,
      "--cluster",
      cluster,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  test.each([
    ["no fleet and no configuration", [], "neither --config nor --fixed-processors is given"],
    ["no cluster", ["--config", "hpc.json"], "Cannot run a back-test: no cluster is given"],
  ])("%s", async (_, more, message) => {
    const { code, stderr } = await backtest("--trace", trace, ...more);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe("--vary", () => {
  test("every combination, the last setting changing fastest", () => {
    const varied = readVaried("placement=order,cost", readVaried("idle_timeout=60,300"));
    expect(combinations(varied)).toEqual([
      { idle_timeout: 60, placement: "order" },
      { idle_timeout: 60, placement: "cost" },
      { idle_timeout: 300, placement: "order" },
      { idle_timeout: 300, placement: "cost" },
    ]);
    expect(combinations([])).toEqual([{}]);
  });

  test("a setting by its path; a value for one array leaves that of the others", () => {
    expect(withValues({ spot: { patience: 1, pairs: [] } }, { "spot.patience": 300 })).toEqual({
      spot: { patience: 300, pairs: [] },
    });
    expect(withValues({ idle_timeout: 60 }, { "idle_timeout.htc": 5 })).toEqual({
      idle_timeout: { default: 60, htc: 5 },
    });
    expect(withValues({ a: [{ b: 1 }, { b: 2, c: 3 }] }, { "a.1.b": 5 })).toEqual({
      a: [{ b: 1 }, { b: 5, c: 3 }],
    });
    expect(withValues({}, { "nodearrays.htc.placement": "cost" })).toEqual({
      nodearrays: { htc: { placement: "cost" } },
    });
  });

  test.each(["idle_timeout", "=1", "a=1,,2", "a b=1", "__proto__.x=5", "spot.__proto__=5"])(
    "%s is refused",
    (text) => {
      expect(() => readVaried(text)).toThrow(/expected/);
    },
  );

  test("too many runs, or one setting twice, are a slip", () => {
    const many = Array.from({ length: 40 }, (_, index) => index).join(",");
    expect(() => readVaried(`b=${many}`, readVaried(`a=${many}`))).toThrow(
      "1600 runs, expected at most 1000",
    );
    expect(() => readVaried("a=1", readVaried("a=2"))).toThrow('"a" twice');
    expect(() => readVaried("a=60,300,60.0")).toThrow('expected each value once: "60" is there twice');
  });
});

test("the bar says how much is done, and how long the rest takes at this pace", () => {
  const bar = barOf(9, 0);
  expect(bar(0, 0)).toBe(`${"░".repeat(30)}   0 % of 9 runs`);
  expect(bar(0.25, 30_000)).toBe(`${"█".repeat(7)}${"░".repeat(23)}  25 % of 9 runs, 1m30s left`);
});
