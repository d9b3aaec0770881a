import type { Constraint } from "../constraints/constraint-kinds.ts";

/**
 * Where a price comes from, best first: the configuration's `vm_sizes`, its `price_rules` over a list price, the list that was
 * read from Azure, the list that is shipped with this program.
 */
export type PriceSource = "vm_sizes" | "rule" | "sheet" | "shipped";

/** What an hour of one node costs, and how that is known. A price that is not known is null, never 0. */
export interface Price {
  readonly usdPerHour: number;
  readonly source: PriceSource;
  /** When Azure asked that price (with `rule`: the list price it starts from). Null: the configuration has no date. */
  readonly asOfSeconds: number | null;
  /** A spot node whose own price is not known counts at the regular price, which is the most it can cost. */
  readonly isUpperBound?: true;
}

/** What nodes of a bucket cost as regular ones and as spot; null: not known. */
export interface BucketPrices {
  readonly regular: Price | null;
  readonly spot: Price | null;
}

/** Nodes that are paid for whether they run or not: the first `nodes` of all buckets with this name cost nothing more. */
export interface Reservation {
  readonly name: string;
  readonly nodes: number;
}

/** What a cluster pays that differs from the list. All rules that select a bucket apply, in their order. */
export interface PriceRule {
  /** For people, and the name of the reservation. */
  readonly name: string;
  /** Names properties that all nodes of a bucket share. */
  readonly select: readonly Constraint[];
  readonly discountPercent?: number;
  readonly addPerCoreHourUsd?: number;
  readonly reservedNodes?: number;
}
