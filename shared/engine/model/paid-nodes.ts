import type { Bucket, Cluster, ClusterNode } from "./bucket.ts";
import { isAtRest } from "./caps.ts";
import { coverNodes } from "./reserved.ts";

/** What of a node its price depends on: nodes that a plan adds have it, too. */
type Payable = Pick<ClusterNode, "nodeId" | "nodeArray" | "vmSize" | "status" | "targetState">;

/** A node of a node array that has, or soon has, a VM. */
export interface PaidNode<Node extends Payable = ClusterNode> {
  readonly node: Node;
  /** US dollars for an hour of it, 0 where a reservation pays it; null: not known. */
  readonly usdPerHour: number | null;
  readonly isReserved: boolean;
}

/**
 * The nodes that cost money, as `runningIn` counts them. Which nodes of a bucket a reservation pays is nobody's word: the first
 * by id are taken.
 */
export function paidNodes<Node extends Payable>(
  cluster: Pick<Cluster, "nodeArrays"> & { readonly nodes: readonly Node[] },
): readonly PaidNode<Node>[] {
  const sizes = new Map<string, ReadonlyMap<string, Bucket>>(
    cluster.nodeArrays.map(({ name, buckets }) => [
      name,
      new Map(buckets.toReversed().map((bucket) => [bucket.vmSize, bucket])),
    ]),
  );
  const running = cluster.nodes.filter((node) => !isAtRest(node) && sizes.has(node.nodeArray));
  const bucketOf = ({ nodeArray, vmSize }: Payable) => sizes.get(nodeArray)?.get(vmSize);
  const byBucket = Map.groupBy(running, bucketOf);
  const counts = new Map<Bucket, number>();
  for (const [bucket, nodes] of byBucket) if (bucket !== undefined) counts.set(bucket, nodes.length);
  const reserved = new Set<Node>();
  for (const { bucket, reserved: count } of coverNodes(counts)) {
    const nodes = (byBucket.get(bucket) ?? []).toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
    for (const node of nodes.slice(0, count)) reserved.add(node);
  }
  return running.map((node) => {
    const isReserved = reserved.has(node);
    return { node, isReserved, usdPerHour: isReserved ? 0 : (bucketOf(node)?.pricePerHourUsd ?? null) };
  });
}
