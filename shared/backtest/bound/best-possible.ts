import type { TraceJobs } from "../trace-job.ts";
import { chosen } from "../workload/job-columns.ts";
import { foreseenCost } from "./foreseen.ts";
import { fittingSizes, lpText } from "./lp-text.ts";
import { boundSizes, type PricedSize, partsOf, workOf } from "./work.ts";

/** What a workload costs at best, to hold runs against. */
export interface BestPossible {
  /** No way of running the jobs on these nodes costs less. */
  readonly boundNanoUsd: number;
  /** What the bound leaves out, so that no run reaches it: a sentence each. */
  readonly boundLeavesOut: readonly string[];
  /**
   * What it costs if every job, its run time too, is known beforehand, and none waits: nodes are asked for so early that they
   * are ready in time, and deleted when their last job ends. Null: the workload is too long for that.
   */
  readonly foreseenNanoUsd: number | null;
  readonly foreseenLeavesOut: readonly string[];
  /** Jobs that fit on no size: neither figure has them. */
  readonly jobsLeftOut: number;
}

/** The best possible, or why it is not known: a sentence. */
export type BestPossibleOutcome =
  | { readonly ok: true; readonly best: BestPossible }
  | { readonly ok: false; readonly why: string };

/** Solves a linear program in the LP file format. Undefined: it found no optimum. */
type SolveLp = (text: string) => Promise<number | undefined>;

export interface BoundInput {
  /** Those that ran to their end in every run that is held against the bound. */
  readonly jobs: TraceJobs;
  readonly sizes: readonly PricedSize[];
  readonly bootSeconds: number;
  /** The longest of the runs: a reservation pays that long. */
  readonly hours: number;
  readonly solve: SolveLp;
}

const nanoPerUsd = 1e9;
/** The solver works to about 8 digits; a bound must not be above the optimum. */
const certain = 1 - 1e-6;
/** The plan with everything known looks at each open node for each job. */
const mostForeseen = 100_000;

const boundLeavesOut = [
  "Jobs and nodes may be cut into parts, and run at any time: nothing is left over on a node.",
  "Nodes cost nothing while they boot, idle, are drained or are deleted.",
  "No limit, quota, placement group or node array that a job asks for; no failed boot, no eviction.",
];
const foreseenLeavesOut = [
  "Limits, quotas, placement groups, failed boots, and the time that deleting a node takes.",
  "Each job goes where it costs least at that moment. Another plan may cost less, above all one in which jobs wait.",
  "Spot nodes and reservations, where there are others.",
];

/** A lower bound of what the jobs cost, and what they would cost with everything known beforehand. */
export async function bestPossible({
  jobs,
  sizes,
  bootSeconds,
  hours,
  solve,
}: BoundInput): Promise<BestPossibleOutcome> {
  const all = boundSizes(sizes, hours);
  const fitting = chosen(jobs, (job) => fittingSizes(partsOf(job), all).length > 0);
  const items = workOf(fitting);
  const usd = items.length === 0 ? 0 : await solve(lpText(items, all));
  if (usd === undefined) return { ok: false, why: "the solver found no optimum." };
  const regular = sizes.filter(({ spot }) => !spot);
  const canForesee = fitting.length <= mostForeseen && regular.length > 0;
  const held = chosen(fitting, (job) => canForesee && fittingSizes(partsOf(job), regular).length > 0);
  return {
    ok: true,
    best: {
      boundNanoUsd: Math.floor(usd * certain * nanoPerUsd),
      boundLeavesOut,
      foreseenNanoUsd:
        canForesee && held.length === fitting.length
          ? Math.ceil(foreseenCost(held, regular, bootSeconds) * nanoPerUsd)
          : null,
      foreseenLeavesOut,
      jobsLeftOut: jobs.length - fitting.length,
    },
  };
}
