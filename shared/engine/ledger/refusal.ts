import type { LimitName } from "../model/limits.ts";
import type { ReasonCode } from "../model/reasons.ts";
import type { LedgerBucket } from "./ledger-bucket.ts";

/** A bucket (or a pool) that ran out while a job was planned. Small, shared between jobs, worded only when read. */
export interface Refusal {
  readonly code: ReasonCode;
  /** Null: true of the whole cluster. */
  readonly bucket: LedgerBucket | null;
  readonly limit: LimitName | null;
  readonly left: number;
}
