import type { BudgetStatus, SpendingStatus } from "../../api/index.ts";
import { type Caps, type Cluster, runningIn } from "../../engine/index.ts";
import type { BudgetLevel, CapSettings, Log, Snapshot, Spending } from "../../ports/index.ts";

/** From this share of the budget on, operators are warned. */
const nearShare = 0.8;
const secondsPerHour = 3600;

/**
 * The cost of the cluster's nodes this month, updated from the snapshot before: the mean of the two hourly prices times
 * the hours in between. It is stored with the snapshot. A run that dies has counted nothing, and a repeated one starts
 * from the same snapshot, so no time is counted twice or left out.
 */
export function spendingAt(now: {
  readonly cluster: Cluster;
  readonly takenAtSeconds: number;
  readonly before: Snapshot | undefined;
  readonly budgetUsd: number | null;
}): Spending {
  const { cluster, takenAtSeconds, before, budgetUsd } = now;
  const { usdPerHour, unpricedNodes } = runningIn(cluster);
  const month = monthOf(takenAtSeconds);
  const known = before?.spending;
  const isSameMonth = known?.month === month;
  const sinceSeconds = Math.max(before?.takenAtSeconds ?? takenAtSeconds, monthStart(takenAtSeconds));
  // A snapshot of a clock that was ahead costs nothing until its time has come.
  const hours = known === undefined ? 0 : Math.max(0, takenAtSeconds - sinceSeconds) / secondsPerHour;
  const mean = (earlier: number | undefined, later: number) => ((earlier ?? later) + later) / 2;
  const spentUsd = (isSameMonth ? known.spentUsd : 0) + hours * mean(known?.usdPerHour, usdPerHour);
  const unpricedNodeHours =
    (isSameMonth ? known.unpricedNodeHours : 0) + hours * mean(known?.unpricedNodes, unpricedNodes);
  const level = levelOf(spentUsd, budgetUsd);
  return { month, spentUsd, usdPerHour, unpricedNodes, unpricedNodeHours, budgetUsd, level };
}

/** The cost of this month until now, as far as the snapshot shows; nodes that ran then are taken to run on. */
export function spentUntil({ spending, takenAtSeconds }: Snapshot, nowSeconds: number): number {
  const isSameMonth = spending.month === monthOf(nowSeconds);
  const sinceSeconds = isSameMonth ? takenAtSeconds : monthStart(nowSeconds);
  const hours = Math.max(0, nowSeconds - sinceSeconds) / secondsPerHour;
  return (isSameMonth ? spending.spentUsd : 0) + hours * spending.usdPerHour;
}

/** The caps that the engine applies; undefined: nothing is capped. */
export function capsAt(
  caps: CapSettings | undefined,
  snapshot: Snapshot,
  nowSeconds: number,
): Caps | undefined {
  if (caps === undefined) return undefined;
  const { maxNodesPerPlan, maxCores, monthlyBudgetUsd: maxUsd } = caps;
  const budget = maxUsd === null ? null : { maxUsd, spentUsd: spentUntil(snapshot, nowSeconds) };
  return { maxNodesPerPlan, maxCores, budget };
}

/** Logs once that a budget is nearly or fully spent; again only after a new month or a larger budget. */
export function reportSpending(
  log: Log,
  { cluster, spending }: Pick<Snapshot, "cluster" | "spending">,
  before: Snapshot | undefined,
): void {
  const isNew = before?.spending.month !== spending.month;
  const known = isNew ? "within" : before.spending.level;
  const { level } = spending;
  if (levels.indexOf(level) <= levels.indexOf(known)) return;
  const { month, spentUsd, budgetUsd, usdPerHour } = spending;
  const fields = { cluster: cluster.name, month, spentUsd: inCents(spentUsd), budgetUsd, usdPerHour };
  if (level === "near") log.warn("budget-near", fields);
  else log.error("budget-reached", fields);
}

/** Null before the first snapshot with spending. */
export function spendingStatus(snapshot: Snapshot | undefined, nowSeconds: number): SpendingStatus | null {
  if (snapshot === undefined) return null;
  const { budgetUsd, level: _, ...spending } = snapshot.spending;
  const spentUsd = spentUntil(snapshot, nowSeconds);
  const month = monthOf(nowSeconds);
  const { unpricedNodeHours } = spending;
  return {
    ...spending,
    month,
    spentUsd: inCents(spentUsd),
    unpricedNodeHours: month === spending.month ? inCents(unpricedNodeHours) : 0,
    reservedNodes: reservedIn(snapshot),
    pricesAsOfSeconds: oldestPriceIn(snapshot),
    budget:
      budgetUsd === null
        ? null
        : budgetStatus({ budgetUsd, spentUsd, usdPerHour: spending.usdPerHour }, nowSeconds),
  };
}

function reservedIn({ cluster }: Snapshot): number {
  return [...runningIn(cluster).reservedNodes.values()].reduce((sum, nodes) => sum + nodes, 0);
}

function oldestPriceIn({ cluster }: Snapshot): number | null {
  const dates = cluster.nodeArrays.flatMap(({ spot, buckets }) =>
    buckets.flatMap(({ prices }) => (spot ? prices?.spot : prices?.regular)?.asOfSeconds ?? []),
  );
  return dates.reduce<number | null>((oldest, date) => Math.min(oldest ?? date, date), null);
}

function budgetStatus(
  spent: { readonly budgetUsd: number; readonly spentUsd: number; readonly usdPerHour: number },
  nowSeconds: number,
): BudgetStatus {
  const { budgetUsd, spentUsd, usdPerHour } = spent;
  const leftUsd = Math.max(0, budgetUsd - spentUsd);
  const endSeconds = nextMonthStart(nowSeconds);
  const spentAtSeconds = usdPerHour > 0 ? nowSeconds + (leftUsd / usdPerHour) * secondsPerHour : endSeconds;
  return {
    monthlyUsd: budgetUsd,
    level: levelOf(spentUsd, budgetUsd),
    leftUsd: inCents(leftUsd),
    sustainableUsdPerHour: inCents(leftUsd / ((endSeconds - nowSeconds) / secondsPerHour)),
    spentAtSeconds: spentAtSeconds < endSeconds ? Math.floor(spentAtSeconds) : null,
  };
}

const levels: readonly BudgetLevel[] = ["within", "near", "reached"];

function levelOf(spentUsd: number, budgetUsd: number | null): BudgetLevel {
  if (budgetUsd === null || spentUsd < budgetUsd * nearShare) return "within";
  return spentUsd < budgetUsd ? "near" : "reached";
}

/** For display: cents are enough. */
function inCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** "2026-11", UTC. */
function monthOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, "2026-11".length);
}

function monthStart(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

export function nextMonthStart(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
