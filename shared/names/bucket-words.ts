import { accountName, type BucketName } from "../engine/index.ts";
import { joined } from "../text/text.ts";

/** At most this many are named in a sentence. */
const mostSizes = 3;
const mostArrays = 5;

/** A bucket as people name it: `htc/Standard_F16s_v2`, with its placement group when it has one. */
export function bucketLabel(bucket: BucketName | null): string {
  if (bucket === null) return "The cluster";
  const { vmSize, placementGroup } = bucket;
  const size = `${accountName(bucket)}/${vmSize}`;
  return placementGroup === null ? size : `${size}/${placementGroup}`;
}

/**
 * The buckets that a sentence is about. A few sizes by their names: `htc/Standard_F4s_v2, mpi/Standard_HB120rs_v3 (4 buckets)`;
 * of more, how many they are: `12 buckets of htc and mpi`. Null is the whole cluster.
 */
export function bucketList(buckets: readonly (BucketName | null)[]): string {
  const byLabel = new Map(buckets.map((bucket) => [bucketLabel(bucket), bucket]));
  const bySize = Map.groupBy([...byLabel], ([, bucket]) => sizeOf(bucket));
  if (bySize.size > mostSizes) return bucketsTogether([...byLabel.values()]);
  return [...bySize]
    .map(([size, alike]) =>
      alike.length === 1 ? (alike[0]?.[0] ?? size) : `${size} (${alike.length} buckets)`,
    )
    .join(", ");
}

/** Buckets of which none is named: `4 buckets of mpi/Standard_HB120rs_v3`, `12 buckets of htc and mpi`. */
export function bucketsTogether(buckets: readonly (BucketName | null)[]): string {
  const sizes = [...new Set(buckets.map(sizeOf))];
  const arrays = [...new Set(buckets.flatMap((bucket) => (bucket === null ? [] : [accountName(bucket)])))];
  const of =
    sizes.length === 1
      ? sizes.join()
      : arrays.length <= mostArrays
        ? joined(arrays, "and")
        : `${arrays.length} node arrays`;
  return `${buckets.length} buckets of ${of}`;
}

function sizeOf(bucket: BucketName | null): string {
  return bucket === null ? bucketLabel(null) : `${accountName(bucket)}/${bucket.vmSize}`;
}
