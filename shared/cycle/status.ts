import type { Cluster, ClusterNode } from "../engine/index.ts";
import type { RequestedBy } from "../messages/scale-action.ts";
import type {
  BackedOff,
  BootsFailing,
  ClusterControl,
  Operation,
  Pause,
  PlanSummary,
  Ports,
  Rejection,
  SourceDemand,
  WaitingJob,
} from "../ports.ts";
import { loadControl } from "./control.ts";

const recentPlans = 5;
const recentOperations = 20;
const recentRejections = 10;

/** A cluster on one page: what an operator wants to see first. Times are Unix seconds. */
export interface ClusterStatus {
  readonly cluster: string;
  readonly atSeconds: number;
  /** Set: an operator paused the cluster; plans are made, and nothing is sent. */
  readonly paused: Pause | null;
  /** Set: CycleCloud refused the login, and is not called until it changes or an operator resumes. */
  readonly loginStopped: { readonly atSeconds: number; readonly message: string } | null;
  readonly snapshot: { readonly takenAtSeconds: number; readonly setAside: readonly string[] } | null;
  /** How many nodes are in each of CycleCloud's states; those outside every node array are not counted. */
  readonly nodes: Readonly<Record<string, number>>;
  readonly demand: readonly SourceStatus[];
  readonly openOperations: number;
  readonly operations: readonly OperationStatus[];
  readonly plans: readonly PlanSummary[];
  readonly nextDeadlineSeconds: number | null;
  /** Buckets that the newest plan asked for no new nodes, because they gave less than asked before. */
  readonly backedOff: readonly BackedOff[];
  /** Node arrays that get no new nodes, because too many failed to boot. */
  readonly bootsFailing: readonly BootsFailing[];
  /** The first jobs of the newest plan that did not get all they asked for, and why. */
  readonly waiting: readonly WaitingJob[];
  /** Of this cluster, and those that name no known cluster. */
  readonly rejections: readonly Rejection[];
}

export interface SourceStatus
  extends Pick<SourceDemand, "source" | "sequence" | "receivedAtSeconds" | "ignoredMessages"> {
  readonly jobs: number;
  readonly nodes: number;
  /** Silent past its time to live: its jobs do not count. */
  readonly expired: boolean;
}

export interface OperationStatus
  extends Pick<Operation, "actionId" | "state" | "messages" | "updatedAtSeconds"> {
  readonly kind: string;
  readonly reason: string;
  readonly nodes: number;
  /** Null: a plan asked for it. */
  readonly requestedBy: RequestedBy | null;
  /** Tries that CycleCloud could not answer. */
  readonly attempts: number;
}

type StatusPorts = Pick<
  Ports,
  "clock" | "configs" | "controls" | "demand" | "operations" | "plans" | "rejections" | "snapshots"
>;

/** Undefined for a cluster that is not configured. */
export async function clusterStatus(ports: StatusPorts, cluster: string): Promise<ClusterStatus | undefined> {
  if (!(await ports.configs.clusters()).includes(cluster)) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const control = await loadControl(ports, cluster);
  const snapshot = (await ports.snapshots.load(cluster))?.value;
  const states = snapshot === undefined ? [] : nodesOfArrays(snapshot.cluster).map((node) => node.status);
  const demand = await ports.demand.list(cluster);
  const head = (await ports.plans.loadHead(cluster))?.value;
  return {
    cluster,
    atSeconds,
    paused: control.paused,
    loginStopped: loginStopped(control),
    snapshot:
      snapshot === undefined
        ? null
        : { takenAtSeconds: snapshot.takenAtSeconds, setAside: snapshot.setAside },
    nodes: tally(states),
    demand: demand.map((source) => toSourceStatus(source, atSeconds)),
    openOperations: (await ports.operations.open(cluster)).length,
    operations: (await ports.operations.recent(cluster, recentOperations)).map(toOperationStatus),
    plans: await ports.plans.list(cluster, recentPlans),
    nextDeadlineSeconds: head?.nextDeadlineSeconds ?? null,
    backedOff: head?.backedOff ?? [],
    bootsFailing: head?.bootsFailing ?? [],
    waiting: head?.waiting ?? [],
    rejections: await rejections(ports, cluster),
  };
}

function loginStopped({ refusedLogin }: ClusterControl): ClusterStatus["loginStopped"] {
  return refusedLogin && { atSeconds: refusedLogin.atSeconds, message: refusedLogin.message };
}

async function rejections(ports: StatusPorts, cluster: string): Promise<readonly Rejection[]> {
  const own = await ports.rejections.list(cluster, recentRejections);
  const nobodys = await ports.rejections.list(undefined, recentRejections);
  return [...own, ...nobodys]
    .sort((left, right) => right.receivedAtSeconds - left.receivedAtSeconds)
    .slice(0, recentRejections);
}

function nodesOfArrays(cluster: Cluster): readonly ClusterNode[] {
  const arrays = new Set(cluster.nodeArrays.map((array) => array.name));
  return cluster.nodes.filter((node) => arrays.has(node.nodeArray));
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function toSourceStatus(source: SourceDemand, atSeconds: number): SourceStatus {
  return {
    source: source.source,
    sequence: source.sequence,
    receivedAtSeconds: source.receivedAtSeconds,
    ignoredMessages: source.ignoredMessages,
    jobs: source.jobs.length,
    nodes: source.nodes.length,
    expired: source.expiresAtSeconds <= atSeconds,
  };
}

function toOperationStatus(operation: Operation): OperationStatus {
  const { actionId, state, messages, updatedAtSeconds, action, attempts = 0 } = operation;
  const nodes =
    action.kind === "create-nodes"
      ? action.sets.reduce((total, set) => total + set.count, 0)
      : action.nodes.length;
  return {
    actionId,
    state,
    messages,
    updatedAtSeconds,
    kind: action.kind,
    reason: action.reason,
    nodes,
    requestedBy: action.requestedBy ?? null,
    attempts,
  };
}
