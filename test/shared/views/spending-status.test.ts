import { expect, test } from "vitest";
import type { BudgetSettings, SpentSums } from "../../../shared/ports/index.ts";
import { spendingStatus } from "../../../shared/views/spending-status.ts";
import { clusterOf } from "../../support/cluster.ts";
import { nothingSpent, snapshotOf } from "../../support/snapshot.ts";

const asOfSeconds = Date.parse("2026-11-30T16:00:00Z") / 1_000;
const monthly: BudgetSettings = { name: "all", of: null, period: "month", usd: 60, hold: true };

function statusOf(budget: BudgetSettings, spentUsd: number, usdPerHour: number) {
  const budgets = [
    { budget, names: [], spentUsd, usdPerHour, unpricedNodeHours: 0, level: "within" as const },
  ];
  const snapshot = snapshotOf(clusterOf(), asOfSeconds);
  return spendingStatus({ ...snapshot, spending: { ...nothingSpent, asOfSeconds, budgets } })?.budgets[0];
}

test.each([
  {
    what: "spent before the month ends",
    budget: monthly,
    spentUsd: 20,
    usdPerHour: 10,
    expected: { leftUsd: 40, sustainableUsdPerHour: 5, spentAtSeconds: asOfSeconds + 4 * 3_600 },
  },
  {
    what: "lasts for the month",
    budget: monthly,
    spentUsd: 20,
    usdPerHour: 5,
    expected: { leftUsd: 40, sustainableUsdPerHour: 5, spentAtSeconds: null },
  },
  {
    what: "of a day, overspent",
    budget: { ...monthly, period: "day" as const },
    spentUsd: 61,
    usdPerHour: 0,
    expected: { leftUsd: 0, sustainableUsdPerHour: 0, untilSeconds: asOfSeconds + 8 * 3_600 },
  },
])("a budget: $what", ({ budget, spentUsd, usdPerHour, expected }) => {
  expect(statusOf(budget, spentUsd, usdPerHour)).toMatchObject(expected);
});

test("node arrays, the dearest first, as exact as costs are", () => {
  const { total } = nothingSpent;
  const array = (name: string, monthUsd: number): SpentSums & { name: string } => ({
    ...total,
    name,
    monthUsd,
  });
  const nodeArrays = [array("b", 1.000_004), array("a", 1.000_004), array("c", 2.123_456_789)];
  const snapshot = snapshotOf(clusterOf(), asOfSeconds);
  const status = spendingStatus({ ...snapshot, spending: { ...nothingSpent, asOfSeconds, nodeArrays } });
  expect(status?.nodeArrays.map(({ nodeArray, monthUsd }) => [nodeArray, monthUsd])).toEqual([
    ["c", 2.123_46],
    ["a", 1],
    ["b", 1],
  ]);
  expect(status?.month).toBe("2026-11");
});

test("nothing before the first snapshot", () => {
  expect(spendingStatus(undefined)).toBeNull();
});
