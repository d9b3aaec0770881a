import type { BucketName } from "../../engine/index.ts";

/** Whether a node or a bucket is of that node array, VM size and placement group. */
export function isIn(of: Omit<BucketName, "dynamicArray">, bucket: BucketName | null): boolean {
  return (
    of.nodeArray === bucket?.nodeArray &&
    of.vmSize === bucket.vmSize &&
    of.placementGroup === bucket.placementGroup
  );
}
