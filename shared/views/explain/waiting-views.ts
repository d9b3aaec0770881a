import type { ClusterStatus, WaitingJobView } from "../../api/index.ts";
import type { TargetOutcome } from "../../engine/index.ts";
import type { BackedOff, WaitingJob } from "../../ports/index.ts";
import { backOffSentences, jobSentences, targetSentences } from "./reason-words.ts";

/** What a plan decided, and when it is read: a back-off that is over by then is no reason any more. */
export interface ReadPlan {
  readonly backedOff: readonly BackedOff[];
  readonly nowSeconds: number;
}

/** A job that a plan left waiting, in sentences. */
export function toWaitingView(outcome: WaitingJob, { backedOff, nowSeconds }: ReadPlan): WaitingJobView {
  const { name, asked, granted } = outcome;
  const why = [...jobSentences(outcome), ...backOffSentences(outcome, backedOff, nowSeconds)];
  return { job: name, asked, granted, why };
}

/** A target of a plan, in sentences when it is not met. */
export function toTargetView(
  target: TargetOutcome,
  { backedOff, nowSeconds }: ReadPlan,
): ClusterStatus["targets"][number] {
  const { reasons: _, ...view } = target;
  if (target.granted >= target.asked) return { ...view, why: [] };
  return { ...view, why: [...targetSentences(target), ...backOffSentences(target, backedOff, nowSeconds)] };
}
