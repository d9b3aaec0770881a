import { type BucketSurvey, isSize, type Job, type JobOutcome, type Scalar } from "../../engine/index.ts";
import { counted } from "../../text/text.ts";
import { unitOf } from "../job-states.ts";

/** Who wants nodes, a job or a target, and what of it is missing. */
export interface Wanted {
  /** `7 slots`, `2 groups`. */
  readonly missing: string;
  /** New nodes that a bucket would have to give for all of it; null: unknown. */
  readonly nodesOf: (bucket: BucketSurvey) => number | null;
  /** What makes nodes with room of no use to it, in a sentence; empty: nothing. */
  readonly note: string;
}

export function wantedBy(job: Job, { asked, granted }: JobOutcome): Wanted {
  const missing = asked - granted;
  return {
    missing: counted(missing, unitOf(job)),
    note: job.exclusive ? " The job wants nodes to itself: those with other jobs on them do not count." : "",
    nodesOf: (bucket) => {
      const slots = job.packingStrategy === "scatter" || job.exclusive ? 1 : slotsPerNode(job, bucket);
      return slots === null ? null : Math.ceil(missing / slots);
    },
  };
}

/** By the amounts that the job names; null when its constraints say less or more than amounts. */
function slotsPerNode({ constraints }: Job, { resources }: BucketSurvey): number | null {
  let slots = Number.POSITIVE_INFINITY;
  const takes = new Set<string>();
  for (const constraint of constraints) {
    if (constraint.kind === "property-options" || constraint.kind === "resource-options") continue;
    // Two amounts of one resource are added up, and alternatives choose: no guesses.
    if (constraint.kind !== "minimum-resource" || takes.has(constraint.resource)) return null;
    takes.add(constraint.resource);
    const each = times(resources[constraint.resource] ?? null, constraint.amount);
    if (each === null) return null;
    slots = Math.min(slots, each);
  }
  return Number.isFinite(slots) && slots >= 1 ? slots : null;
}

function times(has: Scalar, asked: Scalar): number | null {
  const [there, each] = isSize(has) && isSize(asked) ? [has.bytes, asked.bytes] : [has, asked];
  const areNumbers = typeof there === "number" && typeof each === "number";
  return areNumbers && each > 0 ? Math.floor(there / each) : null;
}
