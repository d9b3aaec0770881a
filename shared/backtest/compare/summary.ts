import type { Purpose } from "../../accounting/index.ts";
import type { NeverRan, RunFigures, SettingValue } from "../figures/run-figures.ts";
import { besideNanoUsd, hasPrice, onFront } from "./pareto.ts";

const nanoPerUsd = 1e9;
const millisecondsPerHour = 3_600_000;

/** A run on one line. Hours, US dollars and seconds, to be shown; the exact numbers are in its figures. */
export interface RunSummary {
  /** From 1, in the order of the runs. */
  readonly run: number;
  readonly varied: Readonly<Record<string, SettingValue>>;
  /** No other run is cheaper without longer waits, or the other way round. */
  readonly isOnFront: boolean;
  /** Null: no node has a price. */
  readonly costUsd: number | null;
  /** Disks of deallocated nodes, and reserved nodes that nobody ran, which are not in `costUsd`. */
  readonly disksUsd: number;
  readonly reservedUsd: number;
  /** Node-hours whose price is not known: the cost leaves them out. */
  readonly unpricedNodeHours: number;
  readonly nodeHours: number;
  /** Null: no job ran. */
  readonly meanWaitSeconds: number | null;
  readonly medianWaitSeconds: number | null;
  readonly p95WaitSeconds: number | null;
  readonly maxWaitSeconds: number | null;
  readonly meanSlowdown: number | null;
  readonly utilisation: number | null;
  readonly idleNodeHours: number;
  readonly bootNodeHours: number;
  readonly unusedNodeHours: number;
  /** Drained, kept, failed and ending. */
  readonly otherNodeHours: number;
  readonly nodesBought: number;
  /** What nodes that were deleted while they booted would have cost besides. Null: no node has a price. */
  readonly savedUsd: number | null;
  readonly evicted: number;
  readonly reruns: number;
  readonly ended: number;
  readonly neverRan: number;
}

/** One line a run. The front is taken over all of them. */
export function summaries(runs: readonly RunFigures[]): readonly RunSummary[] {
  const front = onFront(runs);
  return runs.map((figures, index) => summaryOf(figures, { run: index + 1, isOnFront: front.has(index) }));
}

/** Why jobs never ran: what is the same in several runs once, with their numbers. */
export function neverRanIn(
  runs: readonly RunFigures[],
): readonly (NeverRan & { readonly inRuns: readonly number[] })[] {
  const byReason = new Map<string, NeverRan & { readonly inRuns: number[] }>();
  for (const [index, { jobs }] of runs.entries())
    for (const reason of jobs.neverRan) {
      const key = JSON.stringify(reason);
      const same = byReason.get(key) ?? { ...reason, inRuns: [] };
      same.inRuns.push(index + 1);
      byReason.set(key, same);
    }
  return [...byReason.values()];
}

/** Null: no node has a price. */
function usdOf(cost: RunFigures["cost"]): number | null {
  return hasPrice(cost) ? cost.total.nanoUsd / nanoPerUsd : null;
}

function summaryOf(
  { setup, cost, jobs, nodes, waitSeconds, boundedSlowdown }: RunFigures,
  of: { readonly run: number; readonly isOnFront: boolean },
): RunSummary {
  const hours = (purpose: Purpose) => (cost.byPurpose[purpose]?.nodeMs ?? 0) / millisecondsPerHour;
  return {
    ...of,
    varied: setup.varied,
    costUsd: usdOf(cost),
    disksUsd: besideNanoUsd(cost, "deallocated") / nanoPerUsd,
    reservedUsd: besideNanoUsd(cost, "reserved") / nanoPerUsd,
    unpricedNodeHours: cost.total.unpricedNodeMs / millisecondsPerHour,
    nodeHours: cost.total.nodeMs / millisecondsPerHour,
    meanWaitSeconds: waitSeconds?.mean ?? null,
    medianWaitSeconds: waitSeconds?.median ?? null,
    p95WaitSeconds: waitSeconds?.p95 ?? null,
    maxWaitSeconds: waitSeconds?.max ?? null,
    meanSlowdown: boundedSlowdown?.mean ?? null,
    utilisation: cost.utilisation,
    idleNodeHours: hours("idle"),
    bootNodeHours: hours("boot"),
    unusedNodeHours: hours("unused"),
    otherNodeHours: hours("drained") + hours("kept") + hours("failed") + hours("ending"),
    nodesBought: nodes.bought,
    savedUsd: hasPrice(cost) ? nodes.cutShort.nanoUsd / nanoPerUsd : null,
    evicted: nodes.evicted,
    reruns: jobs.reruns,
    ended: jobs.ended,
    neverRan: jobs.submitted - jobs.ended,
  };
}

/** The settings of a run as people write them: `idle_timeout 300, placement "cost"`; without any: "as configured". */
export function settingsText(varied: RunSummary["varied"]): string {
  const parts = Object.entries(varied).map(([key, value]) => `${key} ${settingText(value)}`);
  return parts.length === 0 ? "as configured" : parts.join(", ");
}

/** A setting's value: texts without quotes, the rest as JSON. */
export function settingText(value: SettingValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
