import type { Cluster, ClusterNode, PendingNodes } from "../engine/index.ts";
import type { ActionNode, CreateNodesAction, NodesAction, ScaleAction } from "../messages/index.ts";
import type { Operation, RequestedNode, Snapshot } from "../ports/index.ts";

/**
 * How many of the operations, or lost nodes, of the last minutes are read: more than a plan makes (deleting 10,000
 * nodes takes 50 actions), with room for nodes that ask to stop, each an operation of its own.
 */
export const mostOfLastMinutes = 500;

/** What open operations mean for a plan: nodes that are coming, and nodes that are leaving. */
export interface UnderWay {
  readonly pending: readonly PendingNodes[];
  readonly leavingNodeIds: readonly string[];
  /** Those of them that are deallocated, not deleted. Absent: none. */
  readonly deallocatingNodeIds?: readonly string[];
}

/**
 * Requested nodes count as there and nodes being removed count as gone, until a snapshot shows it or the operation is
 * closed: a plan seconds after the last one must not ask twice.
 */
export function underWay(operations: readonly Operation[], cluster: Cluster): UnderWay {
  const seen: Seen = {
    byId: new Map(cluster.nodes.map((node) => [node.nodeId, node])),
    names: new Set(cluster.nodes.map((node) => node.name)),
    // Only created nodes: a deletion names an older node, and with clocks that disagree it may come last in the list.
    owners: new Map(
      operations
        .filter(({ action }) => action.kind === "create-nodes")
        .flatMap(({ nodes }) => nodes.map(({ name, nodeId }) => [name, nodeId])),
    ),
  };
  const idsOf = (isSo: (action: ScaleAction) => action is NodesAction) =>
    operations.flatMap(({ action, ...operation }) =>
      isSo(action) ? nodesOf(action, operation).map((node) => node.nodeId) : [],
    );
  const deallocatingNodeIds = idsOf(deallocates);
  return {
    pending: operations.flatMap((operation) => pendingOf(operation, seen)),
    leavingNodeIds: idsOf(takesAway),
    ...(deallocatingNodeIds.length > 0 && { deallocatingNodeIds }),
  };
}

/** The nodes of the snapshot, and the last node of each name that CycleCloud listed: it uses names again. */
interface Seen {
  readonly byId: ReadonlyMap<string, ClusterNode>;
  readonly names: ReadonlySet<string>;
  readonly owners: ReadonlyMap<string, string>;
}

/** Whether its nodes take no jobs from the time of the request on, and lose what runs there: they are removed, or away for a while. */
export function takesAway(action: ScaleAction): action is NodesAction {
  return action.kind !== "create-nodes" && action.kind !== "start-nodes" && action.kind !== "retry-failed";
}

function deallocates(action: ScaleAction): action is NodesAction {
  return (
    action.kind === "deallocate-nodes" || (action.kind === "shutdown-nodes" && action.verb === "deallocate")
  );
}

/** Whether its nodes are gone in the end, also those that were deallocated before. */
function terminates(action: ScaleAction): boolean {
  const { kind } = action;
  return (
    kind === "terminate-nodes" ||
    kind === "remove-nodes" ||
    (kind === "shutdown-nodes" && action.verb === "terminate")
  );
}

/** The nodes of an action; once CycleCloud accepted it, the nodes it was executed for. */
function nodesOf(action: NodesAction, operation: Pick<Operation, "state" | "nodes">): readonly ActionNode[] {
  return operation.state === "accepted" ? operation.nodes : action.nodes;
}

function pendingOf(operation: Operation, seen: Seen): PendingNodes[] {
  const { action, actionId } = operation;
  switch (action.kind) {
    case "shutdown-nodes":
    case "retry-failed":
    case "remove-nodes":
    case "terminate-nodes":
    case "deallocate-nodes":
    case "restart-nodes":
    case "reimage-nodes":
      return [];
    case "start-nodes":
      return nodesOf(action, operation).flatMap(({ nodeId, name }) => {
        const node = seen.byId.get(nodeId);
        return node === undefined || isStarted(node) ? [] : [pendingNode(actionId, { ...node, name })];
      });
    case "create-nodes":
      return isToldWhole(operation)
        ? pendingMade(operation, seen)
        : [...pendingMade(operation, seen), ...pendingUntold(operation, action, seen)];
  }
}

/**
 * A node whose name belongs to a later one is gone. If the name is still in the snapshot, it belongs to a node that is
 * gone since. The planner takes a name in the snapshot for an existing node, so the new node is identified by its id as
 * well.
 */
function pendingMade({ actionId, nodes }: Operation, { byId, names: shown, owners }: Seen): PendingNodes[] {
  return nodes
    .filter(({ nodeId, name }) => !byId.has(nodeId) && owners.get(name) === nodeId)
    .map((node) => {
      const name = shown.has(node.name) ? `${node.name}#${node.nodeId}` : node.name;
      return pendingNode(actionId, { ...node, name });
    });
}

/**
 * Whether CycleCloud has listed the nodes it made. Its list may lag behind its answer for a while; after that, a node
 * that is not listed is gone again. Without an answer, all requested nodes may exist.
 */
function isToldWhole(operation: Operation): boolean {
  const { nodes, isToldWhole: isRead = false } = operation;
  return isRead || (nodes.length > 0 && nodes.length >= mostNodesOf(operation));
}

/** How many nodes a create may have made at most. */
function mostNodesOf({ action, added }: Operation): number {
  const asked = action.kind === "create-nodes" ? action.sets.map(({ count }) => count) : [];
  return (added.length === 0 ? asked : added).reduce((sum, count) => sum + count, 0);
}

/**
 * Nodes that CycleCloud added, or was asked to add, and has not listed yet. A name in the snapshot proves nothing,
 * since CycleCloud chooses names itself and uses them again: until it lists the nodes, all are expected. Nodes that are
 * in the snapshot already count twice for a moment, which buys too few; the other way round they would be bought twice.
 */
function pendingUntold(
  operation: Operation,
  action: CreateNodesAction,
  { names: shown, owners }: Seen,
): PendingNodes[] {
  const { actionId } = operation;
  const told = [...operation.nodes];
  return action.sets.flatMap(({ count: asked, names: wanted, ...set }, index) => {
    const bucket = bucketOf(set);
    const added = operation.added[index] ?? asked;
    const own = told.filter((node) => isOfBucket(node, bucket)).slice(0, added);
    for (const node of own) told.splice(told.indexOf(node), 1);
    const names = wanted
      .slice(own.length, added)
      .map((name) => (shown.has(name) || owners.has(name) ? `${name}#${actionId}` : name));
    return names.length === 0 ? [] : [{ actionId, ...bucket, names, count: names.length }];
  });
}

type Bucket = Pick<RequestedNode, "nodeArray" | "vmSize" | "placementGroup"> & {
  readonly dynamicArray?: string | undefined;
};

function isOfBucket(node: RequestedNode, bucket: Bucket): boolean {
  const { nodeArray, vmSize, placementGroup, dynamicArray } = bucket;
  const isThere = node.nodeArray === nodeArray && node.placementGroup === placementGroup;
  return isThere && node.vmSize === vmSize && node.dynamicArray === dynamicArray;
}

function bucketOf({ nodeArray, vmSize, placementGroup, dynamicArray }: Bucket) {
  const plain = { nodeArray, vmSize, placementGroup };
  return dynamicArray === undefined ? plain : { ...plain, dynamicArray };
}

function pendingNode(actionId: string, node: Omit<RequestedNode, "nodeId">): PendingNodes {
  return { actionId, ...bucketOf(node), names: [node.name], count: 1 };
}

function isStarted(node: ClusterNode): boolean {
  return node.targetState === "Started";
}

/** Ids of the nodes that plans bought for jobs: no person asked for them, and no target. */
export function boughtForJobs(operations: readonly Operation[]): readonly string[] {
  return operations.flatMap(({ action, nodes }) => {
    const isForJobs = action.kind === "create-nodes" && action.planId !== null && action.forTargets !== true;
    return isForJobs ? nodes.map(({ nodeId }) => nodeId) : [];
  });
}

/** How an accepted operation looks in a snapshot that was started after it was accepted. */
export function isVisibleIn(operation: Operation, snapshot: Snapshot): boolean {
  const byId = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const { action } = operation;
  switch (action.kind) {
    case "create-nodes":
      return isToldWhole(operation) && operation.nodes.every((node) => byId.has(node.nodeId));
    case "start-nodes":
      return operation.nodes.every(({ nodeId }) => {
        const node = byId.get(nodeId);
        return node === undefined || isStarted(node);
      });
    case "shutdown-nodes":
    case "remove-nodes":
    case "terminate-nodes":
    case "deallocate-nodes":
      return operation.nodes.every(({ nodeId }) => {
        const node = byId.get(nodeId);
        if (node === undefined) return true;
        return !isStarted(node) && !(terminates(action) && node.targetState === "Deallocated");
      });
    case "restart-nodes":
    case "reimage-nodes":
    case "retry-failed":
      // The server tries at once; a node that has failed again looks like one that was not retried.
      return true;
  }
}
