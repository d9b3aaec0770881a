import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  certaintyOf,
  type RunFigures,
  type SettingValue,
  searchSettings,
  splitWorkload,
  suggestionOf,
  suggestionText,
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
