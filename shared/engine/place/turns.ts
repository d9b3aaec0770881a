import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";

/**
 * A job's buckets in order of preference take turns. In one turn, the nodes of all its buckets are asked before any of
 * them gets a new one. A bucket that is filled in order has a turn of its own: those before it are exhausted first, and
 * it is before those behind it.
 */
export function endOfTurn(candidates: readonly LedgerBucket[], from: number): number {
  let to = from + 1;
  if (isShared(candidates, from)) while (to < candidates.length && isShared(candidates, to)) to++;
  return to;
}

/** Whether the bucket takes its turn together with its neighbours. */
export function isShared(candidates: readonly LedgerBucket[], at: number): boolean {
  return candidates[at]?.placement !== "order";
}

/** Notes when a job got a node of bucket `at` where filling in order could have made or started one before. */
export function noteCrossing(
  ledger: Ledger,
  candidates: readonly LedgerBucket[],
  from: number,
  at: number,
): void {
  for (let k = from; k <= at && !ledger.crossed; k++) {
    const bucket = candidates[k] as LedgerBucket;
    ledger.crossed = bucket.deallocatedCount > 0 || (k < at && ledger.capacityOf(bucket) >= 1);
  }
}
