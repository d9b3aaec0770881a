import {
  type Constraint,
  defineJob,
  type EngineSettings,
  generatePlacementGroups,
  type Job,
  type NodeHistory,
  type PlanInput,
  parseAmount,
  parseConstraints,
  type Scalar,
  type SchedulerNode,
  shortHostname,
} from "../../engine/index.ts";
import type { DemandJob, DemandNode } from "../../messages/job-demand.ts";
import type { SetAside } from "../../messages/set-aside.ts";
import type {
  DemandSetAside,
  DrainedNode,
  Operation,
  RequestSet,
  Snapshot,
  SourceDemand,
} from "../../ports/index.ts";
import { underWay } from "../operations.ts";
import { toTargets } from "./to-targets.ts";

/** Everything that was loaded for a plan. */
export interface Loaded {
  readonly settings: EngineSettings;
  readonly snapshot: Pick<Snapshot, "cluster">;
  /** All sources, silent ones too. */
  readonly demand: readonly SourceDemand[];
  /** All request sets, expired ones too. */
  readonly targets: readonly RequestSet[];
  readonly operations: readonly Operation[];
  readonly history: readonly NodeHistory[];
  /** By operators' wish. Absent: none. */
  readonly drainedNodes?: readonly DrainedNode[];
}

/**
 * What the engine plans from. A source that has been silent past its time to live has no demand any more; what it last said
 * to run still keeps its nodes.
 *
 * Plans run on events, not on a beat, and until this one what the last plan saw was still so: a node that turns out to
 * be unmatched now was matched until now, however long ago the last plan was. So the pass before this one ended now.
 */
export function toPlanInput(loaded: Loaded, nowSeconds: number): PlanInput {
  const live = liveSources(loaded.demand, nowSeconds);
  const { cluster } = loaded.snapshot;
  const targets = toTargets(loaded.targets, nowSeconds);
  const { drainedNodes = [] } = loaded;
  return {
    nowSeconds,
    cluster: generatePlacementGroups(cluster, loaded.settings),
    jobs: presentDemand(loaded.demand, nowSeconds).flatMap(toJobs),
    ...(targets.length === 0 ? {} : { targets }),
    schedulerNodes: live.flatMap((source) => source.nodes.map(toSchedulerNode)),
    ...underWay(loaded.operations, cluster),
    ...(drainedNodes.length === 0 ? {} : { closedNodeIds: drainedNodes.map(({ nodeId }) => nodeId) }),
    history: loaded.history,
    lastPassSeconds: nowSeconds,
    settings: loaded.settings,
  };
}

/**
 * For so long a silent source's running jobs count after its time to live: its scheduler host may be down while the jobs
 * run on, and nobody can tell. It must not be for ever. An empty snapshot of the source ends it at once.
 */
export const longestSilenceSeconds = 86_400;

/** Jobs that count now, of one source. */
export interface PresentDemand {
  readonly source: string;
  readonly jobs: readonly DemandJob[];
  /** True: they stand for jobs that did not check out, on the hosts where those run. They want nothing else. */
  readonly standIns: boolean;
}

/** What is wanted now: of live sources all, of silent ones the jobs that run, each as large as its hosts. */
export function presentDemand(demand: readonly SourceDemand[], nowSeconds: number): readonly PresentDemand[] {
  return demand.flatMap(({ source, jobs, setAside, expiresAtSeconds }): PresentDemand[] => {
    if (expiresAtSeconds + longestSilenceSeconds <= nowSeconds) return [];
    const isLive = expiresAtSeconds > nowSeconds;
    const counting = { source, jobs: isLive ? jobs : jobs.flatMap(runningPart), standIns: false };
    if (setAside === undefined) return [counting];
    return [counting, { source, jobs: standInsOf(setAside), standIns: true }];
  });
}

/** The same list for the same demand, as `knownJobs` goes by the list. */
const knownStandIns = new WeakMap<DemandSetAside, readonly DemandJob[]>();

function standInsOf(setAside: DemandSetAside): readonly DemandJob[] {
  const known = knownStandIns.get(setAside);
  if (known !== undefined) return known;
  const jobs = setAside.items.flatMap(standIn);
  knownStandIns.set(setAside, jobs);
  return jobs;
}

/** A job that runs, as far as it can be read: it has its hosts, and waits for no more. */
function standIn({ index, name, running }: SetAside): DemandJob[] {
  if (running === undefined || running.hostnames.length === 0) return [];
  const { hostnames, constraints } = running;
  return [
    {
      name: name ?? `(job ${index}, set aside)`,
      constraints: constraints ?? [],
      iterations: hostnames.length,
      nodeCount: 0,
      colocated: false,
      // What it uses there is not known, so nothing else is planned there.
      exclusive: constraints === undefined,
      executingHostnames: [...hostnames],
      priority: 0,
    },
  ];
}

function runningPart(job: DemandJob): DemandJob[] {
  const hosts = job.executingHostnames.length;
  if (hosts === 0) return [];
  return [job.nodeCount > 0 ? { ...job, nodeCount: hosts } : { ...job, iterations: hosts }];
}

/** Host names on which something runs, or may still run, by short name. */
export function busyHostnames(demand: readonly SourceDemand[], nowSeconds: number): ReadonlySet<string> {
  return new Set(
    presentDemand(demand, nowSeconds).flatMap(({ jobs }) =>
      jobs.flatMap((job) => job.executingHostnames.map(shortHostname)),
    ),
  );
}

export function liveSources(demand: readonly SourceDemand[], nowSeconds: number): readonly SourceDemand[] {
  return demand.filter((source) => source.expiresAtSeconds > nowSeconds);
}

/**
 * By the list of a source: stores give the same one until it changes, and reading 100,000 constraints takes long. Nothing is
 * kept alive by it: jobs go when whoever has the list lets go of it, which for the service is the store's memory of blobs.
 */
const knownJobs = new WeakMap<
  readonly DemandJob[],
  { readonly source: string; readonly jobs: readonly Job[] }
>();

function toJobs({ source, jobs, standIns }: PresentDemand): readonly Job[] {
  const known = knownJobs.get(jobs);
  if (known?.source === source) return known.jobs;
  const constraintsOf = constraintsReader();
  const read = jobs.map((job) => {
    const planned = toJob(job, source, constraintsOf(job.constraints));
    return standIns ? { ...planned, metadata: { [setAsideMark]: true } } : planned;
  });
  knownJobs.set(jobs, { source, jobs: read });
  return read;
}

/** In the metadata of a job that stands for one that was set aside. */
const setAsideMark = "setAside";

export function isStandIn({ metadata }: Pick<Job, "metadata">): boolean {
  return metadata[setAsideMark] === true;
}

/** Jobs may share their constraints, which are then read once. */
function constraintsReader(): (json: unknown) => readonly Constraint[] {
  const known = new Map<unknown, readonly Constraint[]>();
  return (json) => {
    const before = known.get(json);
    if (before !== undefined) return before;
    const parsed = parseConstraints(json);
    // Only checked jobs are stored; should the rules have become stricter since, the job waits and says why.
    const constraints: readonly Constraint[] = parsed.ok
      ? parsed.constraints
      : [{ kind: "never", message: "constraints cannot be read" }];
    known.set(json, constraints);
    return constraints;
  };
}

function toJob(job: DemandJob, source: string, constraints: readonly Constraint[]): Job {
  return defineJob({
    name: job.name,
    constraints,
    iterations: job.iterations,
    nodeCount: job.nodeCount,
    colocated: job.colocated,
    exclusive: job.exclusive,
    packingStrategy: job.packingStrategy,
    executingHostnames: job.executingHostnames,
    priority: job.priority,
    submittedAtSeconds: job.submittedAt === undefined ? null : Date.parse(job.submittedAt) / 1000,
    source,
    ...(job.notes === undefined ? {} : { metadata: { notes: job.notes } }),
  });
}

function toSchedulerNode(node: DemandNode): SchedulerNode {
  const override = node.metadata?.override_resources ?? node.metadata?.overrideResources;
  return {
    hostname: node.hostname,
    resources: Object.fromEntries(
      Object.entries(node.resources).map(([name, value]) => [name, toScalar(value)]),
    ),
    overrideResources: override !== false,
    ...(isOutByItself(node) ? { takesNoJobs: true } : {}),
  };
}

/**
 * Out, and by none of our events: for a broken disk, say, and nobody knows for how long. One that is out by an event may be
 * taken back by another, when a job could use it.
 */
export function isOutByItself({ state = "up", eventAtSeconds }: DemandNode): boolean {
  return state !== "up" && eventAtSeconds === undefined;
}

function toScalar(value: string | number | boolean | null): Scalar {
  return typeof value === "string" ? (parseAmount(value) ?? value) : value;
}
