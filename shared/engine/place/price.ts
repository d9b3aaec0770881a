import type { LedgerBucket } from "../ledger/ledger-bucket.ts";

/** US dollars for an hour of one more node of a bucket; null: not known, which is not free. */
export function priceOf({ size }: LedgerBucket): number | null {
  return size?.pricePerHourUsd ?? null;
}
