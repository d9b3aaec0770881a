import type { JobState } from "../api/index.ts";
import { isStandIn } from "../cycle/index.ts";
import type { Job, JobOutcome, Placement, PlannedNode } from "../engine/index.ts";
import type { Outlook } from "./outlook.ts";

/** A job and what the plan made of it. */
export interface OutlookJob {
  readonly job: Job;
  readonly outcome: JobOutcome;
}

/** In the order of the queue. */
export function outlookJobs({ input, plan }: Pick<Outlook, "input" | "plan">): readonly OutlookJob[] {
  return plan.jobs.map((outcome, index) => {
    const job = input.jobs[index];
    if (job === undefined) throw new Error(`Outcome ${index} is of no job`);
    return { job, outcome };
  });
}

export function unitOf({ packingStrategy }: Pick<Job, "packingStrategy">): "slots" | "nodes" {
  return packingStrategy === "scatter" ? "nodes" : "slots";
}

/** Whether something keeps it from having all it asks for; a job that asks for nothing never gets anything. */
export function waits({ asked, granted }: Pick<JobOutcome, "asked" | "granted">): boolean {
  return granted < asked || asked <= 0;
}

/** The state of a job: first by its scheduler, then by the plan. */
export function stateOf(
  { job, outcome }: OutlookJob,
  nodesByName: ReadonlyMap<string, PlannedNode>,
): JobState {
  if (isStandIn(job)) return "set-aside";
  if (waits(outcome)) return outcome.granted > 0 ? "partly" : "waiting";
  if (job.executingHostnames.length > 0) return "running";
  const isUp = ({ node }: Placement) => isUpNode(nodesByName.get(node));
  return outcome.placements.every(isUp) ? "placed" : "booting";
}

/** Whether a node can take a job this very moment, as far as is known. */
export function isUpNode(node: PlannedNode | undefined): boolean {
  if (node === undefined) return false;
  return node.origin === "on-premise" || (node.origin === "existing" && node.status === "Ready");
}
