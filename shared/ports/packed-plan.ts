import {
  type Job,
  type JobOutcome,
  mainReasons,
  type Plan,
  type PlanInput,
  type Reason,
} from "../engine/index.ts";
import type { ArchivedPlan, PlanOutline, WholePlan } from "./plan-record.ts";

/** The members that jobs of one shape share. */
type JobShape = Omit<Job, OwnKey>;
type OwnKey =
  | "name"
  | "executingHostnames"
  | "gang"
  | "priority"
  | "submittedAtSeconds"
  | "startedAtSeconds"
  | "runtimeSeconds";
type Own = Partial<Pick<Job, Exclude<OwnKey, "name">>>;

/** Name, place of its shape, and what else is its own. */
type PackedJob = readonly [name: string, shape: number, own?: Own];

/** Name, slots or nodes asked for and granted, placements as node and slots, and the place of its reasons. */
type PackedOutcome = readonly [
  name: string,
  asked: number,
  granted: number,
  placements?: readonly (string | number)[],
  reasons?: number,
];

/** A plan as it is stored and sent: what thousands of jobs have in common is written once. */
export interface PackedPlan extends Omit<WholePlan, "input" | "plan"> {
  readonly input: Omit<PlanInput, "jobs"> & { readonly jobs: readonly PackedJob[] };
  readonly plan: Omit<Plan, "jobs"> & { readonly jobs: readonly PackedOutcome[] };
  readonly shapes: readonly JobShape[];
  /** Lists of reasons; of jobs that wait for the same cause there is one. */
  readonly reasons: readonly (readonly Reason[])[];
  /** Jobs whose reasons were left out, because those of the jobs before them are long or many. The input gives them again. */
  readonly reasonsLeftOut: number;
}

/** Reasons repeat constraints, so a few long ones would outgrow the input. */
const mostReasonCharacters = 8 * 1024 * 1024;
/** Every job that waits has a reason for each bucket, and of these one of a kind is kept: working them out takes long. */
const mostReasonsRead = 2_000_000;
const noHostnames: readonly string[] = [];
const nothingOwn = {
  executingHostnames: noHostnames,
  priority: 0,
  submittedAtSeconds: null,
  startedAtSeconds: null,
  runtimeSeconds: null,
};
const noReasons: readonly Reason[] = [];

export function packPlan(plan: WholePlan): PackedPlan;
export function packPlan(plan: ArchivedPlan): PackedPlan | PlanOutline;
export function packPlan(plan: ArchivedPlan): PackedPlan | PlanOutline {
  if (plan.archive === "summary") return plan;
  const { shapes, jobs } = packJobs(plan.input.jobs);
  const { reasons, outcomes, reasonsLeftOut } = packOutcomes(plan.plan.jobs);
  return {
    ...plan,
    shapes,
    reasons,
    reasonsLeftOut,
    input: { ...plan.input, jobs },
    plan: { ...plan.plan, jobs: outcomes },
  };
}

/** Jobs of one shape share their constraints, and outcomes their reasons: large plans stay small in memory. */
export function unpackPlan(packed: PackedPlan): WholePlan;
export function unpackPlan(packed: PackedPlan | PlanOutline): ArchivedPlan;
export function unpackPlan(packed: PackedPlan | PlanOutline): ArchivedPlan {
  if (packed.archive === "summary") return packed;
  const { shapes, reasons, reasonsLeftOut: _, input, plan, ...rest } = packed;
  const jobs = input.jobs.map(([name, place, own]) => {
    return { name, ...shapes[place], ...nothingOwn, ...own } as Job;
  });
  const outcomes = plan.jobs.map(([name, asked, granted, flat = [], place = -1]): JobOutcome => {
    const placements = Array.from({ length: flat.length / 2 }, (_, index) => ({
      node: String(flat[2 * index]),
      slots: Number(flat[2 * index + 1]),
    }));
    return { name, allocated: granted > 0, asked, granted, placements, reasons: reasons[place] ?? noReasons };
  });
  return { ...rest, input: { ...input, jobs }, plan: { ...plan, jobs: outcomes } };
}

/** Shapes are compared by their list of constraints as an object: the service reads equal ones once. */
function packJobs(jobs: readonly Job[]) {
  const shapes: JobShape[] = [];
  const lists = new Map<Job["constraints"], number>();
  const places = new Map<string, number>();
  const packed = jobs.map((job): PackedJob => {
    const list = lists.get(job.constraints) ?? lists.size;
    lists.set(job.constraints, list);
    const key = shapeKey(job, list);
    const place = places.get(key) ?? shapes.push(shapeOf(job)) - 1;
    places.set(key, place);
    const own = ownOf(job);
    return own === undefined ? [job.name, place] : [job.name, place, own];
  });
  return { shapes, jobs: packed };
}

/** The compiler asks for a new member of a job here, if it is not among its own ones. */
const shapeMembers = Object.keys({
  constraints: 0,
  iterations: 0,
  nodeCount: 0,
  colocated: 0,
  exclusive: 0,
  packingStrategy: 0,
  gangApart: 0,
  mayDivide: 0,
  gangSize: 0,
  interruptible: 0,
  source: 0,
  metadata: 0,
  hold: 0,
  ownerLimits: 0,
} satisfies Record<keyof JobShape, 0>) as readonly (keyof JobShape)[];

/** Cheaper for each job than the JSON of its shape. */
function shapeKey(job: Job, list: number): string {
  let key = `${list}`;
  for (const member of shapeMembers) {
    const value = job[member];
    // The list stands for the constraints.
    if (member === "constraints") continue;
    const isText = typeof value === "object" || typeof value === "string";
    key += isText ? ` ${JSON.stringify(value)}` : ` ${value}`;
  }
  return key;
}

function shapeOf(job: Job): JobShape {
  return Object.fromEntries(shapeMembers.map((member) => [member, job[member]])) as unknown as JobShape;
}

/** Undefined: nothing but its name. */
function ownOf(job: Job): Own | undefined {
  const { executingHostnames, gang, priority, submittedAtSeconds, startedAtSeconds, runtimeSeconds } = job;
  const isNew = submittedAtSeconds === null && startedAtSeconds === null && runtimeSeconds === null;
  if (isNew && priority === 0 && executingHostnames.length === 0 && gang === undefined) return undefined;
  return {
    ...(gang !== undefined && { gang }),
    ...(executingHostnames.length > 0 && { executingHostnames }),
    ...(priority !== 0 && { priority }),
    ...(submittedAtSeconds !== null && { submittedAtSeconds }),
    ...(startedAtSeconds !== null && { startedAtSeconds }),
    ...(runtimeSeconds !== null && { runtimeSeconds }),
  };
}

/** Reasons are worked out when they are read: once they are too long, those of the other jobs are not. */
function packOutcomes(jobs: Plan["jobs"]) {
  const reasons: (readonly Reason[])[] = [];
  // Weak: of a job whose shape no other has, nobody keeps the list, and there is one reason in it for every bucket.
  const places = new WeakMap<readonly Reason[], number>();
  let characters = 0;
  let reasonsRead = 0;
  let reasonsLeftOut = 0;
  const add = (list: readonly Reason[]): number => {
    const main = mainReasons(list);
    characters += JSON.stringify(main).length;
    reasonsRead += list.length;
    return reasons.push(main) - 1;
  };
  const outcomes = jobs.map((outcome): PackedOutcome => {
    const { name, asked, granted } = outcome;
    const placements = outcome.placements.flatMap(({ node, slots }) => [node, slots]);
    const isTooMuch = characters > mostReasonCharacters || reasonsRead > mostReasonsRead;
    const isLeftOut = !isComplete(outcome) && isTooMuch;
    reasonsLeftOut += Number(isLeftOut);
    const list = isLeftOut || isComplete(outcome) ? noReasons : outcome.reasons;
    if (list.length === 0)
      return placements.length === 0 ? [name, asked, granted] : [name, asked, granted, placements];
    const place = places.get(list) ?? add(list);
    places.set(list, place);
    return [name, asked, granted, placements, place];
  });
  return { reasons, outcomes, reasonsLeftOut };
}

function isComplete({ asked, granted }: JobOutcome): boolean {
  return asked > 0 && granted >= asked;
}
