import type { SharedDraw } from "../model/constraint.ts";
import type { LedgerNode } from "./ledger-bucket.ts";
import type { LedgerOrigin } from "./ledger-node.ts";

/** One step of an all-or-nothing attempt, with what is needed to take it back. */
export type Step = Taken | Drawn | Created;

/** Slots that were put on a node: what its columns held before, the markers first. */
export interface Taken {
  readonly kind: "taken";
  readonly node: LedgerNode;
  readonly columns: readonly number[];
  readonly before: readonly number[];
  readonly origin: LedgerOrigin;
  readonly slots: number;
}

export interface Drawn {
  readonly kind: "drawn";
  readonly draw: SharedDraw;
  readonly times: number;
}

/** A node that was made: the last one of its bucket. */
export interface Created {
  readonly kind: "created";
  readonly node: LedgerNode;
}
