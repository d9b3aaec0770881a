import type { Cluster } from "../../engine/index.ts";
import type { Ids } from "../../ports/ids.ts";

/**
 * Tells whether a cluster changed in a way that could change a plan. The age of a capacity failure grows by itself, so
 * only whether there was one counts.
 */
export function clusterDigest(cluster: Cluster, ids: Pick<Ids, "digest">): string {
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => ({
      ...bucket,
      secondsSinceCapacityFailure: bucket.secondsSinceCapacityFailure !== null,
    })),
  }));
  return ids.digest(JSON.stringify({ ...cluster, nodeArrays }));
}
