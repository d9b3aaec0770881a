import type { Cluster, NodeKind } from "../../engine/index.ts";
import type { BackedOff, NodeLoss } from "../../ports/index.ts";

const withinSeconds = 3_600;
const leastEvictions = 3;
/** Share of the nodes of a size within the hour. */
const leastShare = 0.2;
const longestBackOffSeconds = 3_600;

/**
 * Spot sizes that Azure takes back often: of at least three nodes and a fifth of all within an hour. Each eviction beyond
 * the second doubles the time for which no more of them are asked for, up to an hour.
 */
export function oftenEvicted(known: {
  readonly cluster: Cluster;
  readonly losses: readonly NodeLoss[];
  readonly backoffSeconds: number;
  readonly nowSeconds: number;
}): readonly BackedOff[] {
  const { cluster, losses, backoffSeconds, nowSeconds } = known;
  const recent = losses.filter((loss) => isEviction(loss) && loss.atSeconds > nowSeconds - withinSeconds);
  return cluster.nodeArrays
    .filter(({ spot }) => spot)
    .flatMap(({ name: nodeArray, buckets }) =>
      buckets.flatMap(({ vmSize }): BackedOff[] => {
        const isThere = (each: NodeKind) => each.nodeArray === nodeArray && each.vmSize === vmSize;
        const lost = recent.filter(isThere);
        const count = timesEvicted(lost);
        const left = cluster.nodes.filter((node) => isThere(node) && node.targetState === "Started").length;
        if (count < leastEvictions || count < leastShare * (count + left)) return [];
        const last = Math.max(...lost.map(({ atSeconds }) => atSeconds));
        const forSeconds = Math.min(
          longestBackOffSeconds,
          backoffSeconds * 2 ** (count - leastEvictions + 1),
        );
        const untilSeconds = last + Math.max(backoffSeconds, forSeconds);
        const why = `Azure took ${count} of ${count + left} spot nodes back within an hour`;
        return untilSeconds > nowSeconds ? [{ nodeArray, vmSize, untilSeconds, why }] : [];
      }),
    );
}

/** Whether Azure took a spot node back. */
export function isEviction({ reason }: NodeLoss): boolean {
  return reason === "SpotEvicted" || reason === "SpotGone";
}

/** A node counts once, whether an event, a snapshot or both reported it. */
export function timesEvicted(losses: readonly NodeLoss[]): number {
  return new Set(losses.map(({ nodeId, eventId }) => nodeId ?? eventId)).size;
}
