import type { BucketName, Reason } from "./reasons.ts";

/** Another bucket that what lies on some new nodes could have gone to. */
export interface SizeAlternative extends BucketName {
  /** US dollars for an hour of one node. */
  readonly pricePerHourUsd: number;
  /** Nodes that would hold the same, if what lies on them could be cut: there may have to be more. */
  readonly nodes: number;
  readonly usdPerHour: number;
}

/**
 * What kept a cheaper bucket out: a constraint of a job, a limit, the array's priority or the job's options, the order of
 * preference (the array is not placed by cost), or that all nodes of the plan together would have cost more.
 */
type KeptOutBy = "constraint" | "limit" | "priority" | "preference" | "together";

export interface KeptOut extends SizeAlternative {
  readonly by: KeptOutBy;
  /** Of a constraint or a limit: the figures. */
  readonly reason: Reason | null;
}

/** Why the nodes of one create set are of their size. */
export interface SizeChoice extends BucketName {
  /** Names of the nodes. */
  readonly names: readonly string[];
  /** US dollars for an hour of one node; null: not known, which is not free. */
  readonly pricePerHourUsd: number | null;
  /** A job that lies on them; null: a target wants them. */
  readonly job: string | null;
  readonly why: "least-cost" | "first-choice" | "target";
  /** The cheapest other bucket that would have done; null: there is none whose price is known. */
  readonly next: SizeAlternative | null;
  /** Cheaper buckets that were kept out, the cheapest first; the first few. */
  readonly keptOut: readonly KeptOut[];
}
