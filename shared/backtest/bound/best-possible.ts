/** What a workload costs at best, to hold runs against. */
export interface BestPossible {
  /** No way of running the jobs on these nodes costs less. */
  readonly boundNanoUsd: number;
  /** What the bound leaves out, so that no run reaches it: a sentence each. */
  readonly boundLeavesOut: readonly string[];
  /**
   * What it costs if every job, its run time too, is known beforehand, and none waits: nodes are asked for so early that they
   * are ready in time, and deleted when their last job ends. Null: some job fits nowhere, so that there is no such cost.
   */
  readonly foreseenNanoUsd: number | null;
  readonly foreseenLeavesOut: readonly string[];
  /** Jobs that fit on no size with a price: neither figure has them. */
  readonly jobsLeftOut: number;
}

/** The best possible, or why it is not known. */
export type BestPossibleOutcome =
  | { readonly ok: true; readonly best: BestPossible }
  | { readonly ok: false; readonly why: string };
