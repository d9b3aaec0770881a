import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { amountOf } from "../ledger/stock.ts";
import type { Constraint } from "../model/constraint.ts";
import type { Reason } from "../model/reasons.ts";
import type { Scalar } from "../model/resources.ts";
import type { Allocation } from "../place/allocate.ts";
import type { Shape } from "../place/shape.ts";
import { reasonsOf } from "./reasons-of.ts";

interface Page {
  readonly allocation: Allocation;
  readonly reasons: readonly Reason[];
}

/** The reasons of one plan. Jobs of one shape that wait for the same cause share one list. */
export class ReasonBook {
  private readonly buckets: readonly LedgerBucket[];
  private readonly pages = new Map<Shape, Page>();

  constructor(buckets: readonly LedgerBucket[]) {
    this.buckets = buckets;
  }

  of(allocation: Allocation): readonly Reason[] {
    const page = this.pages.get(allocation.shape);
    if (page !== undefined && isSameCase(page.allocation, allocation)) return page.reasons;
    const reasons = reasonsOf(allocation, this.buckets);
    this.pages.set(allocation.shape, { allocation, reasons });
    return reasons;
  }
}

function isSameCase(a: Allocation, b: Allocation): boolean {
  return (
    a.refusals === b.refusals &&
    a.asked === b.asked &&
    a.granted === b.granted &&
    a.job.colocated === b.job.colocated
  );
}

/**
 * One reason of each kind, that of the bucket that came closest: what an archived plan holds of a job. Written out for
 * every bucket, a long queue would make an archive of gigabytes, and the archived input gives all of them again.
 */
export function mainReasons(reasons: readonly Reason[]): readonly Reason[] {
  const best = new Map<string, Reason>();
  const texts = new Map<Constraint, string>();
  for (const reason of reasons) {
    const key = `${reason.code} ${reason.limit} ${textOf(reason.constraint, texts)}`;
    const known = best.get(key);
    if (known === undefined || closeness(reason.left) > closeness(known.left)) best.set(key, reason);
  }
  return [...best.values()];
}

/** Buckets refuse by the same constraint, which may be long: it is written out once. */
function textOf(constraint: Constraint | null, texts: Map<Constraint, string>): string {
  if (constraint === null) return "";
  const text = texts.get(constraint) ?? JSON.stringify(constraint);
  texts.set(constraint, text);
  return text;
}

function closeness(left: Scalar): number {
  return amountOf(left);
}
