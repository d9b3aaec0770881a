import { hourSeconds, monthOf, periodEnd, type SeenAside } from "../accounting/index.ts";
import type { BudgetStatus, ClusterStatus, SpendingStatus } from "../api/index.ts";
import { asideOf } from "../cycle/index.ts";
import { type EngineSettings, runningIn } from "../engine/index.ts";
import type { BudgetSpending, Snapshot, SpentSums } from "../ports/index.ts";
import { inCents, inMilliCents } from "../prices/index.ts";

/** What the cluster cost and will cost, as the newest snapshot has it. Null before the first one. */
export function spendingStatus(
  snapshot: Snapshot | undefined,
  settings?: Pick<EngineSettings, "deallocate">,
): SpendingStatus | null {
  if (snapshot === undefined) return null;
  const { asOfSeconds, reckonedSinceSeconds, total, nodeArrays, budgets } = snapshot.spending;
  const aside = asideOf(snapshot.cluster, settings);
  return {
    asOfSeconds,
    reckonedSinceSeconds,
    month: monthOf(asOfSeconds),
    ...shownSums(total),
    reservedNodes: reservedIn(snapshot),
    unusedReservations: idleMoney(aside, "reserved"),
    deallocatedNodes: idleMoney(aside, "deallocated"),
    pricesAsOfSeconds: oldestPriceIn(snapshot),
    nodeArrays: nodeArrays
      .toSorted((a, b) => b.monthUsd - a.monthUsd || (a.name < b.name ? -1 : 1))
      .map(({ name, ...sums }) => ({ nodeArray: name, ...shownSums(sums) })),
    budgets: budgets.map((each) => budgetStatus(each, asOfSeconds)),
  };
}

function shownSums(sums: SpentSums) {
  return {
    hourUsd: inMilliCents(sums.hourUsd),
    dayUsd: inMilliCents(sums.dayUsd),
    monthUsd: inMilliCents(sums.monthUsd),
    forecastUsd: inCents(sums.forecastUsd),
    usdPerHour: inMilliCents(sums.usdPerHour),
    unpricedNodes: Math.round(sums.unpricedNodes),
    unpricedNodeHours: inCents(sums.unpricedNodeHours),
  };
}

function budgetStatus(spending: BudgetSpending, asOfSeconds: number): BudgetStatus {
  const { budget, spentUsd, usdPerHour, unpricedNodeHours, level } = spending;
  const { name, of, period, usd: limitUsd, hold } = budget;
  const leftUsd = Math.max(0, limitUsd - spentUsd);
  const untilSeconds = periodEnd(period, asOfSeconds);
  const spentAtSeconds = usdPerHour > 0 ? asOfSeconds + (leftUsd / usdPerHour) * hourSeconds : untilSeconds;
  return {
    name,
    of,
    period,
    limitUsd,
    hold,
    level,
    spentUsd: inMilliCents(spentUsd),
    leftUsd: inCents(leftUsd),
    usdPerHour: inMilliCents(usdPerHour),
    unpricedNodeHours: inCents(unpricedNodeHours),
    untilSeconds,
    sustainableUsdPerHour: inCents(leftUsd / ((untilSeconds - asOfSeconds) / hourSeconds)),
    spentAtSeconds: spentAtSeconds < untilSeconds ? Math.floor(spentAtSeconds) : null,
  };
}

function reservedIn({ cluster }: Snapshot): number {
  return [...runningIn(cluster).reservedNodes.values()].reduce((sum, nodes) => sum + nodes, 0);
}

function idleMoney(seen: readonly SeenAside[], of: SeenAside["kind"]): SpendingStatus["deallocatedNodes"] {
  const ofKind = seen.filter(({ kind }) => kind === of);
  const usdPerHour = ofKind.reduce<number | null>(
    (sum, { nodes, usdPerHour }) => (sum === null || usdPerHour === null ? null : sum + nodes * usdPerHour),
    0,
  );
  const nodes = ofKind.reduce((sum, each) => sum + each.nodes, 0);
  return { nodes, usdPerHour: usdPerHour === null ? null : inMilliCents(usdPerHour) };
}

function oldestPriceIn({ cluster }: Snapshot): number | null {
  const dates = cluster.nodeArrays.flatMap(({ spot, buckets }) =>
    buckets.flatMap(({ prices }) => (spot ? prices?.spot : prices?.regular)?.asOfSeconds ?? []),
  );
  return dates.reduce<number | null>((oldest, date) => Math.min(oldest ?? date, date), null);
}

/** What nodes were used for, as the accounts had it when they were last read. */
export function utilisationOf(snapshot: Snapshot | undefined): ClusterStatus["utilisation"] {
  const lastDay = snapshot?.spending.lastDay ?? null;
  if (lastDay === null) return null;
  const { fromSeconds, untilSeconds, nodeMs } = lastDay;
  const hours = (ms: number) => inCents(ms / (hourSeconds * 1_000));
  return {
    fromSeconds,
    untilSeconds,
    busyNodeHours: hours(nodeMs.busy),
    idleNodeHours: hours(nodeMs.idle),
    bootNodeHours: hours(nodeMs.boot),
    failedNodeHours: hours(nodeMs.failed),
    otherNodeHours: hours(nodeMs.other),
  };
}
