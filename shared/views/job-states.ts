import type { JobState, JobView } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { isStandIn } from "../cycle/index.ts";
import {
  type Job,
  type JobOutcome,
  type Json,
  type PlanInput,
  type PlannedNode,
  shortHostname,
} from "../engine/index.ts";
import type { DemandJob } from "../messages/index.ts";
import type { SourceDemand } from "../ports/index.ts";
import { redactText } from "../text/redact.ts";
import type { Outlook } from "./outlook.ts";

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

/** Counts of jobs by state, before any is counted. */
export function noJobs(): Record<JobState, number> {
  return { running: 0, placed: 0, booting: 0, partly: 0, waiting: 0, "set-aside": 0 };
}

/** The state of a job: first by its scheduler, then by the plan. */
export function stateOf(
  { job, outcome }: OutlookJob,
  nodesByName: ReadonlyMap<string, PlannedNode>,
): JobState {
  if (isStandIn(job)) return "set-aside";
  if (waits(outcome)) return outcome.granted > 0 ? "partly" : "waiting";
  if (job.executingHostnames.length > 0) return "running";
  const nodes = outcome.placements.map(({ node }) => nodesByName.get(node));
  // Only in scalelib compatibility: a failed node does not come up.
  if (nodes.some((node) => node?.status === "Failed")) return "waiting";
  return nodes.every(isUpNode) ? "placed" : "booting";
}

/** Whether a node can take a job this very moment, as far as is known. */
export function isUpNode(node: PlannedNode | undefined): boolean {
  if (node === undefined) return false;
  return node.origin === "on-premise" || (node.origin === "existing" && node.status === "Ready");
}

/** Sentences about a job that its demand came with (`to-plan-input.ts`): notes of its sender, warnings of its reader. */
export function wordsIn(words: Json | undefined): string[] {
  return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
}

/** Why a job waits in its scheduler's words; null: it runs, or its source does not say. */
export function schedulerWords({ executingHostnames, metadata }: Job): string | null {
  const { waitingReason } = metadata;
  return typeof waitingReason === "string" && executingHostnames.length === 0
    ? redactText(waitingReason)
    : null;
}

/** Details of a job for people and reports, which the planner does not need. */
type DetailsForPeople = Pick<JobView, "user" | "account" | "queue" | "jobName">;
export type DetailsOf = (job: Pick<Job, "source" | "name">) => DetailsForPeople;

export const noDetails: DetailsForPeople = { user: null, account: null, queue: null, jobName: null };

/** Reads details by source and name. */
export function detailsReader(demand: readonly SourceDemand[]): DetailsOf {
  const read = demandReader(demand);
  return (each) => {
    const job = read(each);
    if (job === undefined) return noDetails;
    const { user = null, account = null, queue = null, jobName = null } = job;
    return { user, account, queue, jobName };
  };
}

/** Reads jobs as their sources sent them, in the same way. */
export function demandReader(
  demand: readonly SourceDemand[],
): (job: Pick<Job, "source" | "name">) => DemandJob | undefined {
  return ({ source, name }) => {
    const own = demand.find((each) => each.source === source);
    return own && indexOf(own).get(name);
  };
}

/** Views that are polled ask again, and a list of 100,000 jobs takes its time. */
const indexOf = onceFor(
  ({ jobs }: SourceDemand): ReadonlyMap<string, DemandJob> => new Map(jobs.map((job) => [job.name, job])),
);

/** Jobs that are planned on a node and not running there: their scheduler has not started them yet. */
export function plannedThere(
  input: PlanInput,
  { hostname, jobs }: Pick<PlannedNode, "hostname" | "jobs">,
): readonly string[] {
  if (jobs.length === 0) return [];
  const running = hostname === null ? undefined : runningByHost(input).get(shortHostname(hostname));
  return [...new Set(jobs.map(({ job }) => job))].filter((job) => running?.has(job) !== true);
}

const runningByHost = onceFor(({ jobs }: PlanInput): ReadonlyMap<string, ReadonlySet<string>> => {
  const hosts = new Map<string, Set<string>>();
  for (const job of jobs) for (const host of job.executingHostnames) note(hosts, host, job);
  return hosts;
});

function note(hosts: Map<string, Set<string>>, host: string, { name }: Job): void {
  const short = shortHostname(host);
  const names = hosts.get(short);
  if (names === undefined) hosts.set(short, new Set([name]));
  else names.add(name);
}
