import type { ClusterStatus, OperationStatus, SourceStatus } from "../api/index.ts";
import { doubtsOfSummaries, loadControl, spendingStatus, stillThere } from "../cycle/index.ts";
import type { Cluster, ClusterNode } from "../engine/index.ts";
import { ConfigurationError } from "../errors.ts";
import {
  type ClusterConfig,
  type ClusterControl,
  type DemandSummary,
  type Operation,
  type PlanHead,
  type Ports,
  type Rejection,
  type RequestSet,
  unknownSource,
} from "../ports/index.ts";
import { drainsOf } from "./drains.ts";
import { statusProblems } from "./status-problems.ts";

export type { ClusterStatus } from "../api/index.ts";

const recentPlans = 5;
const recentOperations = 20;
const recentRejections = 10;
const recentLosses = 10;

type StatusPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "demand"
  | "losses"
  | "operations"
  | "plans"
  | "rejections"
  | "snapshots"
  | "targets"
>;

/** A cluster on one page, what is wrong first. Undefined for a cluster that is not configured. */
export async function clusterStatus(ports: StatusPorts, cluster: string): Promise<ClusterStatus | undefined> {
  if (!(await ports.configs.clusters()).includes(cluster)) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const [config, control, snapshot, demand, requested, head, open, recent, plans, rejected, losses] =
    await Promise.all([
      usableConfig(ports, cluster),
      loadControl(ports, cluster),
      ports.snapshots.load(cluster),
      ports.demand.summaries(cluster),
      ports.targets.list(cluster),
      ports.plans.loadHead(cluster),
      ports.operations.open(cluster),
      ports.operations.recent(cluster, recentOperations),
      ports.plans.list(cluster, recentPlans),
      rejections(ports, cluster),
      ports.losses.recent(cluster, recentLosses),
    ]);
  const states =
    snapshot === undefined ? [] : nodesOfArrays(snapshot.value.cluster).map(({ status }) => status);
  const facts = {
    paused: control.paused,
    loginStopped: loginStopped(control),
    snapshot:
      snapshot === undefined
        ? null
        : { takenAtSeconds: snapshot.value.takenAtSeconds, setAside: snapshot.value.setAside },
    nodes: tally(states),
    spending: spendingStatus(snapshot?.value, atSeconds),
    demand: demand
      .filter(({ source }) => source !== unknownSource)
      .map((source) => toSourceStatus(source, atSeconds)),
    doubts: doubtsOfSummaries(demand, atSeconds),
    requestSets: requested.map((set) => toRequestSetStatus(set, { atSeconds, head: head?.value })),
    targets: head?.value.targets ?? [],
    openOperations: open.length,
    operations: recent.map(toOperationStatus),
    plans,
    nextDeadlineSeconds: head?.value.nextDeadlineSeconds ?? null,
    backedOff: head?.value.backedOff ?? [],
    bootsFailing: head?.value.bootsFailing ?? [],
    draining: drainsOf({
      ...{ head: head?.value, control, snapshot: snapshot?.value },
      out: head?.value.out ?? [],
    }),
    keptNodes: snapshot === undefined ? [] : stillThere(control.keptNodes, snapshot.value),
    lostNodes: losses.map(({ reason, nodeName, nodeArray, vmSize, atSeconds }) => ({
      reason,
      nodeName,
      nodeArray,
      vmSize,
      atSeconds,
    })),
    waiting: head?.value.waiting ?? [],
    rejections: rejected,
  };
  return { cluster, atSeconds, problems: statusProblems({ ...facts, atSeconds, config }), ...facts };
}

/** The configuration, or every reason why it cannot be used: the rest of the page is worth showing all the same. */
async function usableConfig(
  ports: StatusPorts,
  cluster: string,
): Promise<ClusterConfig | ConfigurationError | undefined> {
  try {
    return await ports.configs.load(cluster);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

function loginStopped({ refusedLogin }: ClusterControl): ClusterStatus["loginStopped"] {
  if (refusedLogin === null) return null;
  const { atSeconds, message, resumedAtSeconds = null } = refusedLogin;
  return { atSeconds, message, resumedAtSeconds };
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

function toSourceStatus(source: DemandSummary, atSeconds: number): SourceStatus {
  return {
    source: source.source,
    sequence: source.sequence,
    receivedAtSeconds: source.receivedAtSeconds,
    expiresAtSeconds: source.expiresAtSeconds,
    ignoredMessages: source.ignoredMessages,
    jobs: source.jobs,
    nodes: source.nodes,
    capabilities: source.capabilities ?? [],
    expired: source.expiresAtSeconds <= atSeconds,
    setAside: { count: source.setAside?.items ?? 0, first: source.setAside?.first ?? [] },
  };
}

function toRequestSetStatus(
  set: RequestSet,
  { atSeconds, head }: { readonly atSeconds: number; readonly head: PlanHead | undefined },
): ClusterStatus["requestSets"][number] {
  const { requestSet, source, receivedAtSeconds, expiresAtSeconds, ignoredMessages, arrays } = set;
  const expired = expiresAtSeconds <= atSeconds;
  const times = { receivedAtSeconds, expiresAtSeconds, expired };
  const planned = head?.targetRequests[requestSet] === receivedAtSeconds;
  return { requestSet, source, ...times, planned, ignoredMessages, arrays: arrays.length };
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
