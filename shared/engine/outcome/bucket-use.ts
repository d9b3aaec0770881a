import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import type { BucketUse } from "../model/plan-result.ts";
import { bindingCharge, nodesLeft } from "../model/quota.ts";

/** What the plan leaves of the limits of every bucket that new nodes can come from, in order of arrival. */
export function bucketUses(ledger: Ledger): readonly BucketUse[] {
  return ledger.buckets
    .filter((bucket) => bucket.closed === null)
    .map((bucket) => ({
      ...bucket.name,
      bucketId: bucket.bucketId,
      availableCount: ledger.capacityOf(bucket),
      left: leftOf(bucket),
      binding: bindingCharge(bucket.charges)?.limit ?? "bucket",
    }));
}

/** Nodes left under each limit. One that a bucket does not have (no placement group; spot has no family) never binds. */
function leftOf(bucket: LedgerBucket): Readonly<Record<LimitName, number>> {
  const left = Object.fromEntries(limitNames.map((name) => [name, Number.MAX_SAFE_INTEGER]));
  for (const charge of bucket.charges)
    left[charge.limit] = Math.min(left[charge.limit] ?? Number.MAX_SAFE_INTEGER, nodesLeft(charge));
  return left as Record<LimitName, number>;
}
