import type { Bucket } from "./bucket.ts";

/** Nodes of one bucket, and those of them that a reservation pays. */
export interface CoveredNodes {
  readonly bucket: Bucket;
  readonly nodes: number;
  readonly reserved: number;
}

/**
 * Which nodes reservations pay: those of the dearest buckets first, one whose price is not known before all. So nodes never cost
 * more than what a plan that took them in another order was charged. `nodesOf` gives how many nodes of a bucket run or are on
 * order.
 */
export function coverNodes(nodesOf: ReadonlyMap<Bucket, number>): readonly CoveredNodes[] {
  const left = new Map<string, number>();
  return [...nodesOf]
    .toSorted(([a], [b]) => dearness(b) - dearness(a))
    .map(([bucket, nodes]) => {
      const { reservation } = bucket;
      if (reservation === undefined) return { bucket, nodes, reserved: 0 };
      const free = left.get(reservation.name) ?? reservation.nodes;
      const reserved = Math.min(nodes, free);
      left.set(reservation.name, free - reserved);
      return { bucket, nodes, reserved };
    });
}

function dearness({ pricePerHourUsd }: Bucket): number {
  return pricePerHourUsd ?? Number.MAX_VALUE;
}
