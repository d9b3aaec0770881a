import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Reason } from "../model/reasons.ts";
import type { Allocation } from "../place/allocation.ts";
import type { Shape } from "../place/shape.ts";
import { reasonsOf } from "./reasons-of.ts";

interface Page {
  readonly allocation: Allocation;
  readonly reasons: readonly Reason[];
}

/** Reasons that are kept, of all pages together: a page has one for every bucket. */
const mostReasons = 200_000;
/** Checks of single nodes, of all jobs together; reasons after that name the bucket's limits only. */
const mostChecks = 2_000_000;

/** The reasons of one plan. Jobs of one shape that wait for the same cause share one list. */
export class ReasonBook {
  readonly #ledger: Ledger;
  readonly #buckets: readonly LedgerBucket[];
  readonly #pages = new Map<Shape, Page>();
  #kept = 0;
  readonly #spare = { left: mostChecks };

  constructor(ledger: Ledger, buckets: readonly LedgerBucket[]) {
    this.#ledger = ledger;
    this.#buckets = buckets;
  }

  of(allocation: Allocation): readonly Reason[] {
    const { shape } = allocation;
    const page = this.#pages.get(shape);
    if (page !== undefined && isSameCase(page.allocation, allocation)) return page.reasons;
    const world = { ledger: this.#ledger, buckets: this.#buckets, spare: this.#spare };
    const reasons = reasonsOf(allocation, world);
    if (shape.jobs > 1) this.#keep(shape, { allocation, reasons });
    return reasons;
  }

  #keep(shape: Shape, page: Page): void {
    const before = this.#pages.get(shape);
    this.#kept += page.reasons.length - (before?.reasons.length ?? 0);
    this.#pages.set(shape, page);
    for (const [oldest, { reasons }] of this.#pages) {
      if (this.#kept <= mostReasons || oldest === shape) break;
      this.#pages.delete(oldest);
      this.#kept -= reasons.length;
    }
  }
}

function isSameCase(a: Allocation, b: Allocation): boolean {
  return (
    a.refusals === b.refusals &&
    a.heldBy === b.heldBy &&
    a.asked === b.asked &&
    a.granted === b.granted &&
    a.job.colocated === b.job.colocated
  );
}
