import { expect, test } from "vitest";
import { firstDayIn, reconcile, reconciledTotal } from "../../../../clients/cli/output/reconcile.ts";
import type { CostAnswer, CostRowView, UsageAnswer } from "../../../../shared/api/index.ts";

const days = ["2026-11-01", "2026-11-02", "2026-11-03"];
const start = Date.parse("2026-11-01") / 1_000;
const daySeconds = 86_400;
/** Half past six on the second day. */
const opened = start + daySeconds + 6.5 * 3_600;

function costOf(byDay: readonly (number | null)[]): CostAnswer {
  const row = (coreHours: number | null, index: number): CostRowView => ({
    keys: { day: days[index] ?? "" },
    isOverhead: false,
    usd: 7,
    share: 0,
    nodeHours: 0,
    unpricedNodeHours: 0,
    coreHours,
    runs: 0,
    busyNodeHours: 0,
    usdByPurpose: { job: 7, unused: 0, boot: 0, idle: 0, drained: 0, kept: 0, failed: 0, ending: 0 },
  });
  const rows = byDay.map(row);
  return {
    cluster: "hpc",
    atSeconds: 0,
    fromSeconds: start,
    untilSeconds: start + 3 * daySeconds,
    openedAtSeconds: opened,
    by: ["day"],
    rows,
    total: row(0, 0),
    notInTotal: [],
  };
}

/** Of a node array, and of a scheduler node that is always there. */
function usageOf(
  from: number,
  lengthSeconds: number,
  ofArray: readonly number[],
  cost: number | null = 5,
): UsageAnswer {
  const scheduler = (lengthSeconds / 3_600) * 2;
  const intervals = ofArray.map((coreHours, index) => ({
    startSeconds: from + index * lengthSeconds,
    endSeconds: from + (index + 1) * lengthSeconds,
    total: { coreHours: coreHours + scheduler, cost },
    parts: [
      { category: "nodearray", name: "htc", coreHours, cost },
      { category: "node", name: "scheduler", coreHours: scheduler, cost },
    ],
  }));
  return { cluster: "hpc", atSeconds: 0, intervals };
}

const usage = usageOf(start, daySeconds, [240, 241, 239]);
/** Ten core-hours each. */
const firstDay = usageOf(
  start + daySeconds,
  3_600,
  Array.from({ length: 24 }, () => 10),
);

test("what CycleCloud has more is of head nodes, from before the first snapshot, or the rest", () => {
  const found = reconcile({ cost: costOf([0, 170, 240]), usage, firstDay });
  expect(found.map(({ outside, before, rest }) => [outside, before, rest])).toEqual([
    [48, 240, 0],
    [48, 65, 6],
    [48, 0, -1],
  ]);
});

test("a day of which CycleCloud says nothing is shown with our count, and without a difference", () => {
  const [first, , third] = usage.intervals;
  const intervals = [first, third].flatMap((interval) => interval ?? []);
  const found = reconcile({ cost: costOf([0, 170, 240]), usage: { ...usage, intervals }, firstDay });
  expect(found.map(({ day, cycleCloud, ours, rest }) => [day, cycleCloud, ours, rest])).toEqual([
    ["2026-11-01", 288, 0, 0],
    ["2026-11-02", null, 170, null],
    ["2026-11-03", 287, 240, -1],
  ]);
  expect(reconciledTotal(found)).toMatchObject({ cycleCloud: null, ours: 410, rest: null });
});

test.each([
  ["each day's parts", 1],
  ["the parts of all days", 3],
])("%s add up to CycleCloud's core-hours", (_, count) => {
  const found = reconcile({ cost: costOf([0, 170, 240]), usage, firstDay });
  const all = count === 1 ? found : [reconciledTotal(found)];
  for (const { cycleCloud, outside, before, ours, rest } of all)
    expect(outside + before + (ours ?? 0) + (rest ?? 0)).toBeCloseTo(cycleCloud ?? 0);
});

test("a day without a count of ours is zero, a size without known cores is not", () => {
  const [first, second] = reconcile({ cost: costOf([null]), usage, firstDay });
  expect(first).toMatchObject({ ours: null, rest: null });
  expect(second).toMatchObject({ ours: 0 });
  expect(reconciledTotal(reconcile({ cost: costOf([null]), usage, firstDay }))).toMatchObject({
    ours: null,
    rest: null,
  });
});

test("money that CycleCloud does not know stays unknown in the sum", () => {
  const found = reconcile({
    cost: costOf([0, 0, 0]),
    usage: usageOf(start, daySeconds, [1], null),
    firstDay,
  });
  expect(reconciledTotal(found).cycleCloudUsd).toBeNull();
});

test.each([
  ["in the time, within a day", opened, start + daySeconds],
  ["at midnight: the day is whole", start + daySeconds, undefined],
  ["before the time", start - 5, undefined],
  ["never", null, undefined],
])("CycleCloud is asked for hours when accounts began %s", (_, openedAtSeconds, wanted) => {
  expect(firstDayIn({ ...costOf([0, 0, 0]), openedAtSeconds })).toBe(wanted);
});
