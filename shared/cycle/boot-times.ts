import {
  forNodeArray,
  kindName,
  type NodeHistory,
  type NodeKind,
  type PerNodeArray,
} from "../engine/index.ts";

/** How many boots of an array are needed for a median. */
export const fewestBoots = 3;
/** As long as rows of nodes that are gone are kept. */
const lookedAtSeconds = 7 * 86_400;

/** Seconds that a node of the array takes until a plan sees it Ready, by the median of those remembered; null: unknown. */
export type BootSecondsOf = (nodeArray: string) => number | null;

/** A deallocated node that starts again is no boot: its disk is there. */
function isBoot({ madeSeconds }: NodeHistory): boolean {
  return madeSeconds === undefined;
}

/** How long earlier boots took. With too few boots of the array, those of the whole cluster count. */
export function bootSecondsOf(history: readonly NodeHistory[]): BootSecondsOf {
  const boots = history.filter(isBoot);
  const byArray = Map.groupBy(boots, ({ nodeArray }) => nodeArray);
  const medians = new Map([...byArray].map(([array, rows]) => [array, medianOf(rows)]));
  const median = medianOf(boots);
  return (nodeArray) => medians.get(nodeArray) ?? median;
}

/** Nearly all boots take less; for an array of which fewer than three boots are known. */
const usualSlowSeconds = 600;

/** What 95 of 100 boots of an array took at most, whatever their size. */
export function slowBootSeconds(
  history: readonly NodeHistory[],
  nodeArray: string,
  nowSeconds: number,
): number {
  const times = history.flatMap((row) => {
    const took = row.nodeArray === nodeArray && isBoot(row) ? tookOf(row) : null;
    return took === null || row.createdSeconds < nowSeconds - lookedAtSeconds ? [] : [took];
  });
  times.sort((a, b) => a - b);
  return (times.length < fewestBoots ? null : nearestRank(times, 0.95)) ?? usualSlowSeconds;
}

/** Boots of one array and size within the last week. */
export interface Boots {
  /** That ended: the node became Ready, or failed before, or was not Ready in time. */
  readonly count: number;
  readonly failed: number;
  /** Of those that plans saw from the start until Ready; null: none. */
  readonly p50Seconds: number | null;
  readonly p95Seconds: number | null;
  /** The median until a deallocated node was Ready again; null: none. Starts are not among the boots. */
  readonly startP50Seconds: number | null;
}

/** How history is read: as of a moment, and from when on a boot has failed. */
export interface BootsAsOf {
  readonly nowSeconds: number;
  readonly bootTimeoutSeconds: PerNodeArray<number>;
}

/** The boots of each array and size. A node that was deleted while it booted in time is neither a boot nor a failure. */
export function bootsOf(history: readonly NodeHistory[], asOf: BootsAsOf): (bucket: NodeKind) => Boots {
  const recorded = recordedBoots(history, asOf);
  return (bucket) => {
    const { failed, count, seconds, startSeconds } = recorded(bucket);
    return {
      startP50Seconds: nearestRank(startSeconds, 0.5),
      count,
      failed,
      p50Seconds: nearestRank(seconds, 0.5),
      p95Seconds: nearestRank(seconds, 0.95),
    };
  };
}

/** Boots of one array and size, one by one. */
export interface RecordedBoots extends Pick<Boots, "count" | "failed"> {
  /** Of those that plans saw from the start until Ready, the shortest first. */
  readonly seconds: readonly number[];
}

/** The same, with how long each boot took, and each start of a deallocated node. */
export function recordedBoots(
  history: readonly NodeHistory[],
  { nowSeconds, bootTimeoutSeconds }: BootsAsOf,
): (bucket: NodeKind) => RecordedBoots & { readonly startSeconds: readonly number[] } {
  const byBucket = new Map<string, { failed: number; ready: number; times: number[]; starts: number[] }>();
  for (const row of history) {
    if (row.createdSeconds < nowSeconds - lookedAtSeconds) continue;
    const failed = hasFailed(row, nowSeconds, forNodeArray(bootTimeoutSeconds, row.nodeArray));
    if (!failed && row.readySeconds === null) continue;
    const key = kindName(row);
    const sum = byBucket.get(key) ?? { failed: 0, ready: 0, times: [], starts: [] };
    byBucket.set(key, sum);
    if (isBoot(row)) sum[failed ? "failed" : "ready"] += 1;
    const took = failed ? null : tookOf(row);
    if (took !== null) (isBoot(row) ? sum.times : sum.starts).push(took);
  }
  return (bucket) => {
    const { failed, ready, times, starts } = byBucket.get(kindName(bucket)) ?? noBoots;
    const inOrder = (seconds: readonly number[]) => seconds.toSorted((a, b) => a - b);
    return {
      count: failed + ready,
      failed,
      seconds: inOrder(times),
      startSeconds: inOrder(starts),
    };
  };
}

const noBoots = { failed: 0, ready: 0, times: [], starts: [] };

/** Whether it failed before it was ever Ready: CycleCloud said so, or it took longer than the boot time-out. */
function hasFailed(row: NodeHistory, nowSeconds: number, bootTimeoutSeconds: number): boolean {
  const { failure, createdSeconds, readySeconds, deletedSeconds } = row;
  if (failure !== undefined) return readySeconds === null || failure.atSeconds < readySeconds;
  return readySeconds === null && (deletedSeconds ?? nowSeconds) - createdSeconds > bootTimeoutSeconds;
}

/** Null: it never became Ready, or was Ready when a plan first saw it. */
function tookOf({ createdSeconds, readySeconds }: NodeHistory): number | null {
  return readySeconds === null || readySeconds <= createdSeconds ? null : readySeconds - createdSeconds;
}

function medianOf(rows: readonly NodeHistory[]): number | null {
  const times = rows.flatMap((row) => tookOf(row) ?? []).sort((a, b) => a - b);
  return times.length < fewestBoots ? null : nearestRank(times, 0.5);
}

/** The smallest of the sorted values that so large a share of them do not exceed; null: there are none. */
export function nearestRank(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
