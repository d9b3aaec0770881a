import type { Cluster, Plan, Retirement } from "../../engine/index.ts";
import {
  type BackedOff,
  type BootsFailing,
  isOpen,
  type Operation,
  type PlanHead,
  type Snapshot,
  type TroubledNode,
} from "../../ports/index.ts";

/** How far back failed boots are counted. */
export const bootFailureWindowSeconds = 3_600;
/** Keeps the head of the plans small; more than any sensible threshold. */
const mostDeletedKept = 500;

/** The decisions about nodes that failed, and the record of them. */
export interface Decided {
  /** The engine's plan, except that nodes which were retried often enough are deleted instead. */
  readonly plan: Plan;
  readonly troubled: readonly TroubledNode[];
}

/**
 * Limits the retries of failed nodes: a node that failed again after `failedNodeRetries` retries is deleted, unless it
 * is keep-alive. A node that is being retried is left alone. Only plans that are sent are recorded.
 */
export function decideOnFailed(
  plan: Plan,
  known: {
    readonly before: Pick<PlanHead, "troubled"> | undefined;
    readonly operations: readonly Operation[];
    readonly snapshot: Snapshot;
    readonly failedNodeRetries: number;
    readonly isSent: boolean;
    readonly nowSeconds: number;
  },
): Decided {
  const { snapshot, nowSeconds } = known;
  const nodes = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const remembered = stillTrue(known.before?.troubled ?? [], { nodes, nowSeconds });
  const retries = countRetries(remembered);
  const underWay = nodesUnderRetry(known.operations);
  const leaving = new Set(plan.retire.map(({ nodeId }) => nodeId));
  const failed = plan.retry.filter(({ nodeId }) => !underWay.has(nodeId) && !leaving.has(nodeId));
  const isGivenUp = (nodeId: string) => (retries.get(nodeId) ?? 0) >= known.failedNodeRetries;
  const retry = failed.filter(({ nodeId }) => !isGivenUp(nodeId));
  const givenUp = failed.flatMap(({ nodeId, name }): Retirement[] => {
    const node = nodes.get(nodeId);
    if (node === undefined || node.keepAlive || !isGivenUp(nodeId)) return [];
    const { nodeArray, hostname } = node;
    return [{ nodeId, name, nodeArray, hostname, cause: "failed", sinceSeconds: nowSeconds }];
  });
  const decided = { ...plan, retry, retire: [...plan.retire, ...givenUp] };
  const troubled = known.isSent ? [...remembered, ...troubledBy(decided, { nodes, nowSeconds })] : remembered;
  return { plan: decided, troubled: withoutRepeats(troubled) };
}

interface Now {
  readonly nodes: ReadonlyMap<string, Snapshot["cluster"]["nodes"][number]>;
  readonly nowSeconds: number;
}

/** Retries count until the node is up or gone, deletions until their hour is over. */
function stillTrue(troubled: readonly TroubledNode[], { nodes, nowSeconds }: Now): readonly TroubledNode[] {
  return troubled.filter(({ nodeId, fate, atSeconds }) => {
    if (fate === "deleted") return atSeconds > nowSeconds - bootFailureWindowSeconds;
    const node = nodes.get(nodeId);
    return node !== undefined && node.status !== "Ready";
  });
}

function countRetries(troubled: readonly TroubledNode[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeId, fate } of troubled)
    if (fate === "retried") counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  return counts;
}

function troubledBy(plan: Plan, { nodes, nowSeconds: atSeconds }: Now): TroubledNode[] {
  const deleted = plan.retire.filter(({ cause }) => cause === "failed" || cause === "boot-timeout");
  return [
    ...plan.retry.map(({ nodeId }): TroubledNode => {
      const nodeArray = nodes.get(nodeId)?.nodeArray ?? "";
      return { nodeId, nodeArray, fate: "retried", atSeconds };
    }),
    ...deleted.map(
      ({ nodeId, nodeArray }): TroubledNode => ({ nodeId, nodeArray, fate: "deleted", atSeconds }),
    ),
  ];
}

/** A node whose deletion was requested twice counts as one failure. */
function withoutRepeats(troubled: readonly TroubledNode[]): readonly TroubledNode[] {
  const deleted = new Map<string, TroubledNode>();
  for (const each of troubled)
    if (each.fate === "deleted" && !deleted.has(each.nodeId)) deleted.set(each.nodeId, each);
  return [
    ...troubled.filter(({ fate }) => fate === "retried"),
    ...[...deleted.values()].slice(-mostDeletedKept),
  ];
}

function nodesUnderRetry(operations: readonly Operation[]): ReadonlySet<string> {
  return new Set(
    operations.flatMap((operation) =>
      isOpen(operation) && operation.action.kind === "retry-failed"
        ? operation.action.nodes.map((node) => node.nodeId)
        : [],
    ),
  );
}

/**
 * Node arrays whose nodes were deleted again and again because they failed or never booted: buying more of them would
 * only cost money. After the back-off they are tried again, and the next failure backs them off again.
 */
export function bootsFailing(
  troubled: readonly TroubledNode[],
  limits: { readonly failures: number; readonly backoffSeconds: number; readonly nowSeconds: number },
): readonly BootsFailing[] {
  const { failures: most, backoffSeconds, nowSeconds } = limits;
  const timesOf = new Map<string, number[]>();
  for (const { nodeArray, fate, atSeconds } of troubled)
    if (fate === "deleted") timesOf.set(nodeArray, [...(timesOf.get(nodeArray) ?? []), atSeconds]);
  return [...timesOf].flatMap(([nodeArray, times]) => {
    const untilSeconds = Math.max(...times) + backoffSeconds;
    const isFailing = most > 0 && times.length >= most && untilSeconds > nowSeconds;
    return isFailing ? [{ nodeArray, failures: times.length, untilSeconds }] : [];
  });
}

/** Every bucket of these arrays. */
export function bucketsOf(cluster: Cluster, arrays: readonly BootsFailing[]): readonly BackedOff[] {
  return arrays.flatMap(({ nodeArray, failures, untilSeconds }) => {
    const array = cluster.nodeArrays.find(({ name }) => name === nodeArray);
    const why = `${failures} nodes of "${nodeArray}" failed or did not boot within an hour`;
    return (array?.buckets ?? []).map(({ vmSize }) => ({ nodeArray, vmSize, untilSeconds, why }));
  });
}
