import {
  defineJob,
  type EngineSettings,
  generatePlacementGroups,
  type Job,
  type NodeHistory,
  type PlanInput,
  parseAmount,
  type Resources,
  type Scalar,
  type SchedulerNode,
} from "../../engine/index.ts";
import type { DemandJob, DemandNode } from "../../messages/index.ts";
import type {
  ChosenIdleTimeout,
  DrainedNode,
  Operation,
  OwnerCap,
  RequestSet,
  Snapshot,
  SourceDemand,
  SpareSizing,
  StoredJob,
} from "../../ports/index.ts";
import { holdOf, type JobHold } from "../account/holds.ts";
import { ownerLimits } from "../account/owner-limits.ts";
import {
  constraintsReader,
  isOutByItself,
  liveSources,
  type PresentDemand,
  presentDemand,
} from "../demand/live-demand.ts";
import { predictor } from "../demand/run-times.ts";
import { whyWantsUnknown } from "../demand/unknown-wants.ts";
import { underWay } from "../operations.ts";
import type { SharedSubscription } from "./shared-quotas.ts";
import { toTargets } from "./to-targets.ts";

/** Everything that was loaded for a plan. */
export interface Loaded {
  readonly settings: EngineSettings;
  readonly snapshot: Pick<Snapshot, "cluster">;
  /** Those of its idle time-outs that the configuration leaves to us, and why they are so. Absent: none. */
  readonly idleTimeouts?: readonly ChosenIdleTimeout[];
  /** All sources, silent ones too. */
  readonly demand: readonly SourceDemand[];
  /** All request sets, expired ones too, and those of schedules. */
  readonly targets: readonly RequestSet[];
  /** From what the size of spare room was read. Absent: nothing was. */
  readonly spares?: readonly SpareSizing[];
  /** When the next window of a schedule opens or ends. Absent: none will. */
  readonly nextScheduleSeconds?: number | null;
  readonly operations: readonly Operation[];
  /** Ids of nodes that plans bought for jobs, of recent purchases. Absent: none is known. */
  readonly boughtForJobs?: readonly string[];
  readonly history: readonly NodeHistory[];
  /** Nodes that operators drained. Absent: none. */
  readonly drainedNodes?: readonly DrainedNode[];
  /** Whether run times are predicted from earlier jobs. Absent: no. */
  readonly predictsRunTimes?: boolean;
  /** Which jobs budgets hold. Absent: none. */
  readonly jobHolds?: readonly JobHold[];
  /** What users, accounts and queues may have. Absent: no limit. */
  readonly ownerCaps?: readonly OwnerCap[];
  /** What is claimed of the quotas that it shares with other clusters. Absent: it shares none. */
  readonly shared?: readonly SharedSubscription[];
}

/**
 * The input of the engine. A source that has been silent past its time to live has no demand any more; the running jobs
 * of its last message still keep their nodes.
 *
 * Plans run on events, not at an interval, and what the last plan saw stayed true until this one: a node that is
 * unmatched now was matched until now, however long ago the last plan was. So the previous pass ends now.
 */
export function toPlanInput(loaded: Loaded, nowSeconds: number): PlanInput {
  const live = liveSources(loaded.demand, nowSeconds);
  const { cluster } = loaded.snapshot;
  const targets = toTargets(loaded.targets, { cluster, nowSeconds });
  const { drainedNodes = [], jobHolds = [], ownerCaps = [] } = loaded;
  return {
    nowSeconds,
    cluster: generatePlacementGroups(cluster, loaded.settings),
    jobs: presentDemand(loaded.demand, nowSeconds).flatMap((each) =>
      limited(
        held(toJobs(each, loaded.predictsRunTimes === true), each.jobs, jobHolds),
        each.jobs,
        ownerCaps,
      ),
    ),
    ...(targets.length === 0 ? {} : { targets }),
    schedulerNodes: live.flatMap((source) => source.nodes.map(toSchedulerNode)),
    ...shapesIn(live),
    ...underWay(loaded.operations, cluster),
    ...(drainedNodes.length === 0 ? {} : { closedNodeIds: drainedNodes.map(({ nodeId }) => nodeId) }),
    ...boughtNodes(loaded, nowSeconds),
    history: loaded.history,
    lastPassSeconds: nowSeconds,
    settings: loaded.settings,
  };
}

/** While it is not known what jobs want, every node that boots counts as needed. So it does in scalelib. */
function boughtNodes(loaded: Loaded, nowSeconds: number): Pick<PlanInput, "boughtNodeIds"> {
  const { settings, demand, snapshot, boughtForJobs } = loaded;
  if (boughtForJobs === undefined || settings.compatibility === "scalelib") return {};
  if (whyWantsUnknown(demand, nowSeconds) !== undefined) return {};
  const bought = new Set(boughtForJobs);
  const booting = snapshot.cluster.nodes.filter(
    ({ nodeId, status }) => status !== "Ready" && bought.has(nodeId),
  );
  return { boughtNodeIds: booting.map(({ nodeId }) => nodeId) };
}

/** Coming nodes as schedulers count them. */
function shapesIn(sources: readonly SourceDemand[]): Pick<PlanInput, "nodeShapes"> {
  const nodeShapes = sources.flatMap(({ source, nodeShapes: shapes = [] }) =>
    shapes.map(({ nodeArray, vmSize = null, resources }) => ({
      source,
      nodeArray,
      vmSize,
      resources: toResources(resources),
    })),
  );
  return nodeShapes.length === 0 ? {} : { nodeShapes };
}

/**
 * Keyed by a source's list of jobs: stores return the same list until it changes, and reading 100,000 constraints takes
 * long. The map keeps nothing alive: entries go with their list, which the service holds in the store's cache of blobs.
 */
const knownJobs = new WeakMap<
  readonly DemandJob[],
  { readonly source: string; readonly predicts: boolean; readonly jobs: readonly Job[] }
>();

function toJobs(present: PresentDemand, predicts: boolean): readonly Job[] {
  const { source, jobs, standIns } = present;
  const readBefore = knownJobs.get(jobs);
  if (readBefore?.source === source && readBefore.predicts === predicts) return readBefore.jobs;
  const predict = predicts ? predictor(present) : () => undefined;
  const constraintsOf = constraintsReader();
  const read = jobs.map((job) => {
    const planned = toJob(job, {
      source,
      constraints: constraintsOf(job.constraints),
      runtimeSeconds: predict(job) ?? job.runtimeSeconds,
    });
    return standIns ? { ...planned, metadata: { [setAsideMark]: true } } : planned;
  });
  knownJobs.set(jobs, { source, predicts, jobs: read });
  return read;
}

/** The jobs of a source, those that budgets hold with what holds them. The list stays the same if that is none. */
function held(jobs: readonly Job[], said: readonly StoredJob[], holds: readonly JobHold[]): readonly Job[] {
  if (holds.length === 0) return jobs;
  return jobs.map((job, index) => {
    const of = said[index];
    const hold = of === undefined ? undefined : holdOf(holds, of);
    return hold === undefined ? job : { ...job, hold };
  });
}

/** The same jobs with the limits of their owners; one object for those of the same owners. */
function limited(
  jobs: readonly Job[],
  said: readonly StoredJob[],
  caps: readonly OwnerCap[],
): readonly Job[] {
  if (caps.length === 0) return jobs;
  const limitsOf = ownerLimits(caps);
  return jobs.map((job, index) => {
    const of = said[index];
    const limits = of === undefined ? [] : limitsOf(of);
    return limits.length === 0 ? job : { ...job, ownerLimits: limits };
  });
}

/** Marks, in the metadata, a job that stands in for one that was set aside. */
const setAsideMark = "setAside";

export function isStandIn({ metadata }: Pick<Job, "metadata">): boolean {
  return metadata[setAsideMark] === true;
}

function toJob(
  job: StoredJob,
  read: Pick<Job, "source" | "constraints"> & { readonly runtimeSeconds: number | undefined },
): Job {
  return defineJob({
    ...read,
    name: job.name,
    iterations: job.iterations,
    nodeCount: job.nodeCount,
    colocated: job.colocated,
    gang: job.gang,
    gangApart: job.gangApart,
    mayDivide: job.mayDivide,
    gangSize: job.gangSize,
    exclusive: job.exclusive,
    packingStrategy: job.packingStrategy,
    executingHostnames: job.executingHostnames,
    priority: job.priority,
    submittedAtSeconds: job.submittedAt === undefined ? null : Date.parse(job.submittedAt) / 1000,
    startedAtSeconds: job.startedAtSeconds,
    interruptible: job.interruptible,
    metadata: aboutOf(job),
  });
}

/** Shared by the many jobs without any of these. */
const nothingMore: Job["metadata"] = {};

function aboutOf(job: StoredJob): Job["metadata"] {
  const { notes, warnings, waitingSinceSeconds, interruptedOn, waitingReason, behindOthers } = job;
  if (
    waitingReason === undefined &&
    behindOthers === undefined &&
    notes === undefined &&
    warnings === undefined &&
    waitingSinceSeconds === undefined &&
    interruptedOn === undefined
  )
    return nothingMore;
  return {
    ...(notes === undefined ? {} : { notes }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(waitingReason === undefined ? {} : { waitingReason }),
    ...(behindOthers === undefined ? {} : { behindOthers }),
    ...(waitingSinceSeconds === undefined ? {} : { waitingSinceSeconds }),
    ...(interruptedOn === undefined
      ? {}
      : { interruptedOn: interruptedOn.map(({ hostname, atSeconds }) => ({ hostname, atSeconds })) }),
  };
}

function toSchedulerNode(node: DemandNode): SchedulerNode {
  const override = node.metadata?.override_resources ?? node.metadata?.overrideResources;
  return {
    hostname: node.hostname,
    resources: toResources(node.resources),
    overrideResources: override !== false,
    ...(isOutByItself(node) ? { takesNoJobs: true } : {}),
  };
}

function toResources(resources: DemandNode["resources"]): Resources {
  return Object.fromEntries(Object.entries(resources).map(([name, value]) => [name, toScalar(value)]));
}

function toScalar(value: string | number | boolean | null): Scalar {
  return typeof value === "string" ? (parseAmount(value) ?? value) : value;
}
