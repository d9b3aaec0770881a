import type { Cluster, ClusterNode, PendingNodes } from "../engine/index.ts";
import type { ActionNode, CreateNodesAction, NodesAction } from "../messages/scale-action.ts";
import type { Operation, RequestedNode, Snapshot } from "../ports.ts";

const longestListLagSeconds = 60;

/** What open operations mean for a plan: nodes that are coming, and nodes that are leaving. */
export interface UnderWay {
  readonly pending: readonly PendingNodes[];
  readonly leavingNodeIds: readonly string[];
}

/**
 * Nodes that were asked for count as there, nodes that were asked to go count as gone, until a snapshot shows it or the
 * operation is closed: a plan seconds after the last one must not ask twice.
 */
export function underWay(operations: readonly Operation[], cluster: Cluster, nowSeconds: number): UnderWay {
  const byId = new Map(cluster.nodes.map((node) => [node.nodeId, node]));
  return {
    pending: operations.flatMap((operation) => pendingOf(operation, byId, nowSeconds)),
    leavingNodeIds: operations.flatMap(({ action, ...operation }) =>
      action.kind === "shutdown-nodes" ? nodesOf(action, operation).map((node) => node.nodeId) : [],
    ),
  };
}

/** The nodes that an action is for; once it was accepted, those that it was carried out for. */
function nodesOf(action: NodesAction, operation: Pick<Operation, "state" | "nodes">): readonly ActionNode[] {
  return operation.state === "accepted" ? operation.nodes : action.nodes;
}

function pendingOf(
  operation: Operation,
  byId: ReadonlyMap<string, ClusterNode>,
  nowSeconds: number,
): PendingNodes[] {
  const { action, actionId } = operation;
  switch (action.kind) {
    case "shutdown-nodes":
    case "retry-failed":
      return [];
    case "start-nodes":
      return nodesOf(action, operation).flatMap(({ nodeId, name }) => {
        const node = byId.get(nodeId);
        return node === undefined || isStarted(node) ? [] : [pendingNode(actionId, { ...node, name })];
      });
    case "create-nodes":
      return isToldWhole(operation, nowSeconds)
        ? operation.nodes.filter((node) => !byId.has(node.nodeId)).map((node) => pendingNode(actionId, node))
        : pendingSets(operation, action, byId);
  }
}

/**
 * Whether CycleCloud has told which nodes it made. Its list may lag behind its answer for a while; after that, a node
 * that it said it added and does not list is gone again.
 */
function isToldWhole({ nodes, added, updatedAtSeconds }: Operation, atSeconds: number): boolean {
  const total = added.reduce((sum, count) => sum + count, 0);
  return nodes.length > 0 && (nodes.length >= total || atSeconds > updatedAtSeconds + longestListLagSeconds);
}

/**
 * CycleCloud has not told yet which nodes it made. The planner chose names that were free, so a node that has one of
 * them by now was made by this action.
 */
function pendingSets(
  operation: Operation,
  action: CreateNodesAction,
  byId: ReadonlyMap<string, ClusterNode>,
): PendingNodes[] {
  const visible = new Set([...byId.values()].map((node) => node.name));
  return action.sets.flatMap(({ nodeArray, vmSize, placementGroup, ...set }, index) => {
    const added = operation.added[index] ?? set.count;
    const names = set.names.slice(0, added).filter((name) => !visible.has(name));
    const { actionId } = operation;
    return names.length === 0
      ? []
      : [{ actionId, nodeArray, vmSize, placementGroup, names, count: names.length }];
  });
}

function pendingNode(actionId: string, node: Omit<RequestedNode, "nodeId">): PendingNodes {
  const { nodeArray, vmSize, placementGroup, name } = node;
  return { actionId, nodeArray, vmSize, placementGroup, names: [name], count: 1 };
}

function isStarted(node: ClusterNode): boolean {
  return node.targetState === "Started";
}

/** How an accepted operation looks in a snapshot that was started after it was accepted. */
export function isVisibleIn(operation: Operation, snapshot: Snapshot): boolean {
  const byId = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const { action } = operation;
  switch (action.kind) {
    case "create-nodes":
      return (
        isToldWhole(operation, snapshot.takenAtSeconds) &&
        operation.nodes.every((node) => byId.has(node.nodeId))
      );
    case "start-nodes":
      return operation.nodes.every(({ nodeId }) => {
        const node = byId.get(nodeId);
        return node === undefined || isStarted(node);
      });
    case "shutdown-nodes":
      return operation.nodes.every(({ nodeId }) => {
        const node = byId.get(nodeId);
        return node === undefined || !isStarted(node);
      });
    case "retry-failed":
      // The server tries at once; a node that has failed again looks like one that was not retried.
      return true;
  }
}
