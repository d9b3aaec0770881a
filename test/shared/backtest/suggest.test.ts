import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  certaintyOf,
  type RunFigures,
  type SettingValue,
  schedulesText,
  searchSchedules,
  searchSettings,
  splitWorkload,
  suggestionOf,
  suggestionText,
  TimeZone,
  type TraceJob,
  type TraceJobs,
  type Tunable,
  type Varied,
} from "../../../shared/backtest/index.ts";
import { figuresOf } from "./figures-of.ts";

const idle: Tunable = { key: "idle_timeout", values: [60, 300, 900], now: 300 };
const placement: Tunable = { key: "placement", values: ["reuse", "cost"], now: "reuse" };

/** A world in which cost and wait are what a table says. */
function world(
  table: (varied: Varied) => { readonly cost: number; readonly wait: number; readonly lost?: number },
) {
  const asked: Varied[] = [];
  const run = async (varied: Varied): Promise<RunFigures> => {
    asked.push(varied);
    const { cost, wait, lost = 0 } = table(varied);
    const waits = [
      ...Array.from({ length: 10 - lost }, () => wait),
      ...Array.from({ length: lost }, () => null),
    ];
    return figuresOf({ varied, nodeMs: { job: [cost] }, waits });
  };
  return { asked, run: (all: readonly Varied[]) => Promise.all(all.map(run)) };
}

const numberOf = (value: SettingValue | undefined, otherwise: number) =>
  typeof value === "number" ? value : otherwise;

describe("searchSettings", () => {
  const byIdle = (varied: Varied) => {
    const seconds = numberOf(varied.idle_timeout, 300);
    return { cost: 1_000 + seconds - (varied.placement === "cost" ? 50 : 0), wait: 100 };
  };

  test("finds settings that together cost least, one change at a time", async () => {
    const { run, asked } = world(byIdle);
    const found = await searchSettings({ tunables: [idle, placement], run, budget: 20, longestWait: 1.1 });
    expect(found).toMatchObject({ varied: { idle_timeout: 60, placement: "cost" }, isFinished: true });
    expect(found.runs).toBe(asked.length);
    // As configured first, and nothing twice.
    expect(asked[0]).toEqual({});
    expect(new Set(asked.map((varied) => JSON.stringify(varied))).size).toBe(asked.length);
  });

  test("the values of one setting run at the same time, the first ones together with the one as configured", async () => {
    const { run } = world(byIdle);
    const batches: (readonly Varied[])[] = [];
    const noted = (all: readonly Varied[]) => {
      batches.push(all);
      return run(all);
    };
    await searchSettings({ tunables: [idle, placement], run: noted, budget: 20, longestWait: 1.1 });
    expect(batches.slice(0, 2)).toEqual([
      [{}, { idle_timeout: 60 }, { idle_timeout: 900 }],
      [{ idle_timeout: 60, placement: "cost" }],
    ]);
  });

  test("what waits too long, or runs fewer jobs, is not found", async () => {
    const slow = world((varied) => ({ ...byIdle(varied), wait: varied.idle_timeout === 60 ? 141 : 100 }));
    const lossy = world((varied) => ({ ...byIdle(varied), lost: varied.placement === "cost" ? 1 : 0 }));
    const search = (run: typeof slow.run) =>
      searchSettings({ tunables: [idle, placement], run, budget: 20, longestWait: 1.1 });
    expect((await search(slow.run)).varied).toEqual({ placement: "cost" });
    expect((await search(lossy.run)).varied).toEqual({ idle_timeout: 60 });
  });

  test("keeps to its budget, and says that it was over", async () => {
    const { run, asked } = world(byIdle);
    const found = await searchSettings({ tunables: [placement, idle], run, budget: 2, longestWait: 1.1 });
    expect(asked.length).toBe(2);
    expect(found).toMatchObject({ varied: { placement: "cost" }, runs: 2, isFinished: false });
  });

  test("nothing that helps: as configured", async () => {
    const { run } = world(() => ({ cost: 5, wait: 1 }));
    const found = await searchSettings({ tunables: [idle, placement], run, budget: 20, longestWait: 1.1 });
    expect(found).toMatchObject({ varied: {}, isFinished: true });
  });

  test("whatever the world, what is found is no dearer than as configured, and was run", async () => {
    const costs = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 1, max: 8 }), async (table, budget) => {
        const { run, asked } = world((varied) => {
          const at =
            [60, 300, 900].indexOf(numberOf(varied.idle_timeout, 300)) * 2 +
            (varied.placement === "cost" ? 1 : 0);
          const [cost = 0, wait = 0] = table[at] ?? [];
          return { cost, wait };
        });
        const found = await searchSettings({ tunables: [idle, placement], run, budget, longestWait: 1 });
        expect(asked.length).toBeLessThanOrEqual(budget);
        expect(asked).toContainEqual(found.varied);
        expect(found.figures.cost.total.nanoUsd).toBeLessThanOrEqual(found.configured.cost.total.nanoUsd);
      }),
      { seed: 19 },
    );
  });
});

describe("splitWorkload", () => {
  const jobsAt = (...hours: readonly number[]): readonly TraceJob[] =>
    hours.map((hour) => ({
      name: `${hour}`,
      submitSeconds: hour * 3_600,
      runSeconds: 1,
      requestedSeconds: null,
      processors: 1,
    }));
  const names = (jobs: TraceJobs | undefined) => [...(jobs ?? [])].map(({ name }) => name);

  test("at the end of a day, in a long workload", () => {
    const split = splitWorkload({ jobs: jobsAt(0, 30, 143, 145, 240), leftOut: [] }, 0.58);
    expect(names(split?.tune.jobs)).toEqual(["0", "30", "143"]);
    expect(names(split?.check.jobs)).toEqual(["145", "240"]);
    // A window of an hour of the week is the same one in both.
    expect(split?.check.clockStartSeconds).toBe(Date.UTC(2027, 0, 1) / 1_000);
    expect(split?.tune.clockStartSeconds).toBe(split?.check.clockStartSeconds);
    const late = splitWorkload({ jobs: jobsAt(0, 30, 143, 145, 240), leftOut: [] }, 0.58, 5 * 86_400);
    expect(names(late?.tune.jobs)).toEqual(["30", "143"]);
  });

  test("anywhere in a short one; none of the parts may be empty", () => {
    expect(names(splitWorkload({ jobs: jobsAt(0, 1, 2), leftOut: [] }, 0.6)?.check.jobs)).toEqual(["2"]);
    expect(splitWorkload({ jobs: jobsAt(1), leftOut: [] }, 0.6)).toBeUndefined();
    expect(splitWorkload({ jobs: [], leftOut: [] }, 0.6)).toBeUndefined();
  });
});

describe("certaintyOf, suggestionOf", () => {
  /** What each day cost, in steps of an hour that is a day's only one. */
  const ofDays = (costs: readonly number[], wait = 10) =>
    figuresOf({
      nodeMs: { job: costs.map((cost) => cost * 1_000) },
      stepSeconds: 86_400,
      waits: [wait, wait],
    });
  const twenty = (cost: (day: number) => number) => Array.from({ length: 20 }, (_, day) => cost(day));

  test("a tenth less on each day is sure; a saving on one day of twenty is not", () => {
    const configured = ofDays(twenty(() => 100));
    const always = certaintyOf({ configured, changed: ofDays(twenty(() => 90)) }, 1);
    expect(always).toMatchObject({ days: 20, cheaperShare: 1 });
    expect(always.savedShare).toBeCloseTo(0.1, 12);
    expect(always.between?.[0]).toBeCloseTo(0.1, 12);
    const once = certaintyOf({ configured, changed: ofDays(twenty((day) => (day === 3 ? 20 : 103))) }, 1);
    expect(once.savedShare).toBeGreaterThan(0);
    expect(once.cheaperShare).toBeLessThan(0.95);
    expect(once.between?.[0]).toBeLessThan(0);
  });

  test("the same seed says the same; too few days say nothing", () => {
    const configured = ofDays(twenty((day) => 100 + day));
    const changed = ofDays(twenty((day) => 100 + ((day * 7) % 20)));
    const at = (seed: number) => certaintyOf({ configured, changed }, seed);
    expect(at(5)).toEqual(at(5));
    expect(at(5)).not.toEqual(at(6));
    const few = certaintyOf({ configured: ofDays([2, 2]), changed: ofDays([1, 1]) }, 1);
    expect(few).toEqual({ days: 2, savedShare: 0.5, between: null, cheaperShare: null });
  });

  const foundWith = (varied: Varied) => ({
    varied,
    runs: 7,
    isFinished: true,
    configured: ofDays(twenty(() => 100)),
    figures: ofDays(twenty(() => 80)),
  });
  const suggest = (varied: Varied, changed: RunFigures) =>
    suggestionOf(
      foundWith(varied),
      { configured: ofDays(twenty(() => 100)), changed },
      { seed: 1, longestWait: 1.1 },
    );

  test.each([
    ["change", { idle_timeout: 60 }, ofDays(twenty(() => 90))],
    ["keep", {}, ofDays(twenty(() => 100))],
    ["unsure", { idle_timeout: 60 }, ofDays(twenty(() => 105))],
    [
      "unsure",
      { idle_timeout: 60 },
      ofDays(
        twenty(() => 90),
        60,
      ),
    ],
  ] as const)("%s", (verdict, varied, changed) => {
    expect(suggest(varied, changed).verdict).toBe(verdict);
  });

  test("in words", () => {
    expect(suggestionText(suggest({ idle_timeout: 60 }, ofDays(twenty(() => 90))))).toEqual([
      "Use idle_timeout 60.",
      "On the part that was not tuned on it saves 10.0 %: in 90 of 100 draws of its 20 days between 10.0 % and 10.0 % is saved, and something in 100.0 % of them. Where it was tuned it saves 20.0 %.",
      "There the mean wait is 10s, and 10s as configured.",
      "7 runs on the first part of the workload.",
    ]);
    expect(suggestionText(suggest({}, ofDays(twenty(() => 100))))[0]).toBe(
      "Keep the settings as configured: no change of one of them costs less.",
    );
  });
});

describe("searchSchedules", () => {
  const hour = 3_600;
  /** Mondays to Sundays, in winter: a job an hour from 8:00 to 12:00 in Berlin, and one at 22:00. */
  const monday = Date.parse("2026-11-02T00:00+01:00") / 1_000;
  const jobs = Array.from({ length: 14 }, (_, day) =>
    [8, 9, 10, 11, 22].map((at) => ({ submitSeconds: monday + (day * 24 + at) * hour })),
  ).flat() as unknown as TraceJobs;
  const waits = (mornings: number) =>
    Array.from({ length: 14 }, () => [mornings, mornings, mornings, mornings, 20]).flat();

  const dear = { wait: 10, cost: 1_000 };
  function worldOf(
    figures: (start: string | undefined, count: number) => { wait: number; cost: number },
    ofBuffer: (size: number | "auto") => { wait: number; cost: number } = () => dear,
  ) {
    const asked: unknown[] = [];
    const run = (all: readonly Varied[]) =>
      Promise.all(
        all.map(async (varied) => {
          const schedule = varied["schedules.suggested"] as
            | {
                start: string;
                end: string;
                targets: { SpareCount?: number; SpareSlots?: "auto"; SparePercent?: number }[];
              }
            | undefined;
          const { SpareSlots, SparePercent, SpareCount = 0 } = schedule?.targets[0] ?? {};
          const size = SpareSlots ?? SparePercent;
          asked.push(size ?? (schedule && [schedule.start, schedule.end, SpareCount]));
          const { wait, cost } = size === undefined ? figures(schedule?.start, SpareCount) : ofBuffer(size);
          const made = figuresOf({ varied, nodeMs: { job: [cost * 1e9] }, waits: waits(wait) });
          const boughtByBucket = [
            { nodeArray: "htc", vmSize: "Standard_F2", spot: false, nodes: 3 },
            { nodeArray: "htc", vmSize: "Standard_F4", spot: false, nodes: 30 },
          ];
          const bootSeconds = { mean: 100, median: 100, p95: 100, max: 100 };
          return { ...made, nodes: { ...made.nodes, boughtByBucket, bootSeconds } };
        }),
      );
    return { asked, run };
  }

  const input = { workload: { jobs, leftOut: [] }, timeZone: new TimeZone("Europe/Berlin"), budget: 20 };

  test("one node where most of the waiting is, by the local clock, then more nodes in the best window", async () => {
    const { run, asked } = worldOf((start, count) =>
      start === undefined
        ? { wait: 100, cost: 100 }
        : { wait: 100 - 40 * Math.min(2, count), cost: 100 + count },
    );
    const found = await searchSchedules({ ...input, run });
    expect(asked).toEqual([
      undefined,
      "auto",
      20,
      ["0 8 * * mon-fri", "0 11 * * *", 1],
      ["0 8 * * mon-fri", "0 12 * * *", 1],
      ["0 8 * * *", "0 11 * * *", 1],
      ["0 8 * * *", "0 12 * * *", 1],
      ["0 8 * * mon-fri", "0 11 * * *", 2],
    ]);
    expect(found).toMatchObject({
      runs: 8,
      best: { spare: { kind: "hours", nodeArray: "htc", vmSize: "Standard_F4", count: 1 } },
      other: { spare: { kind: "slots", size: "auto" } },
    });
    const [configured, changed] = await run([{}, found.best?.varied ?? {}]);
    if (configured === undefined || changed === undefined) throw new Error("Each run has figures");
    const text = schedulesText(found, { configured, changed }, input);
    expect(text[0]).toBe(
      "Use 1 spare node of htc (Standard_F4) from 8:00 to 11:00 on weekdays (Europe/Berlin).",
    );
    expect(text[1]).toContain(
      "On the part that was not searched on: 1.0 % ($1.00) more, mean wait 52.0 s in place of 84.0 s, $1.61 for each hour of waiting saved.",
    );
    expect(text[2]).toBe(
      "There it saves most in these hours of the week (Europe/Berlin): Sun 8:00 0.0 h ($0.00), Sun 9:00 0.0 h ($0.00), Sun 10:00 0.0 h ($0.00).",
    );
    expect(text[3]).toContain("Or as many spare cores of htc (Standard_F4) as are needed:");
    expect(text[4]).toContain("Also tried: 2 spare nodes");
    expect(JSON.parse(text.at(-1) ?? "")).toEqual({
      schedules: {
        suggested: {
          start: "0 8 * * mon-fri",
          end: "0 11 * * *",
          time_zone: "Europe/Berlin",
          targets: [{ Name: "htc", SpareCount: 1, MachineType: "Standard_F4" }],
        },
      },
    });
  });

  test("four nodes are tried where two are better than one", async () => {
    const { run, asked } = worldOf((start, count) =>
      start === undefined
        ? { wait: 100, cost: 100 }
        : { wait: 100 - 30 * Math.min(3, count), cost: count === 1 ? 120 : 120 + count },
    );
    const { best } = await searchSchedules({ ...input, run });
    expect(asked.slice(-2).map((each) => (each as readonly unknown[])[2])).toEqual([2, 4]);
    expect(best?.spare).toMatchObject({ count: 4 });
  });

  test("a buffer is found where it saves more for its money, and no more nodes are tried then", async () => {
    const { run, asked } = worldOf(
      (start) => ({ wait: start === undefined ? 100 : 60, cost: start === undefined ? 100 : 120 }),
      (size) => ({ wait: 20, cost: size === "auto" ? 110 : 105 }),
    );
    const found = await searchSchedules({ ...input, run });
    expect(asked).toHaveLength(7);
    expect(found).toMatchObject({
      best: { spare: { kind: "slots", size: 20 } },
      other: { spare: { kind: "hours", count: 1 } },
    });
    const { configured, best } = found;
    const text = schedulesText(found, { configured, changed: best?.figures ?? configured }, input);
    expect(text[0]).toBe("Use 20 % of the cores in use as spare ones of htc (Standard_F4).");
    expect(JSON.parse(text.at(-1) ?? "")).toEqual({
      schedules: {
        suggested: {
          targets: [
            { Name: "htc", MachineType: "Standard_F4", SparePercent: 20, SlotResources: { ncpus: 1 } },
          ],
        },
      },
    });
  });

  test("keeps to its budget, and suggests nothing that saves little", async () => {
    const { run, asked } = worldOf(
      (start) => ({ wait: start === undefined ? 100 : 90, cost: 100 }),
      () => ({ wait: 90, cost: 100 }),
    );
    const found = await searchSchedules({ ...input, run, budget: 3 });
    expect(asked).toHaveLength(3);
    expect(found.best).toBeUndefined();
    const { configured } = found;
    expect(schedulesText(found, { configured, changed: configured }, input)[0]).toBe(
      "No schedule or buffer: none that was tried saves 25 % of the waiting time.",
    );
  });

  test("without waits there is nothing to try", async () => {
    const nobody = figuresOf({ nodeMs: { job: [1] }, waits: jobs.length === 0 ? [] : [0] });
    const found = await searchSchedules({ ...input, run: async (all) => all.map(() => nobody) });
    expect(found).toMatchObject({ runs: 1, best: undefined });
    expect(schedulesText(found, { configured: nobody, changed: nobody }, input)[0]).toBe(
      "No schedule or buffer: no job waits for a node to boot.",
    );
  });
});
