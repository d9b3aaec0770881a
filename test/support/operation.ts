import type { CreateNodesAction, NodesAction, ScaleAction } from "../../shared/messages/scale-action.ts";
import type { Operation, RequestedNode } from "../../shared/ports/index.ts";

const envelope = {
  version: 1,
  actionId: "plan-0001-0",
  planId: "plan-0001",
  cluster: "hpc",
  requestId: "request-plan-0001-0",
  reason: "test",
  createdAtSeconds: 1_000,
  expiresAtSeconds: 1_600,
} as const;

/** One set of nodes with these names, of the standard bucket. */
export function createAction(
  names: readonly string[],
  fields: Partial<CreateNodesAction> = {},
): CreateNodesAction {
  const set = { nodeArray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null };
  const sets = [{ ...set, count: names.length, names: [...names] }];
  return { ...envelope, kind: "create-nodes", sets, ...fields };
}

/** Nodes as `nodeOf` names them. */
export function nodesAction(kind: NodesAction["kind"], names: readonly string[]): NodesAction {
  const nodes = names.map((name) => ({ nodeId: `id-${name}`, name }));
  return kind === "shutdown-nodes"
    ? { ...envelope, kind, cause: "idle-timeout", nodes }
    : { ...envelope, kind, nodes };
}

export function operationOf(action: ScaleAction, fields: Partial<Operation> = {}): Operation {
  const { cluster, actionId, createdAtSeconds } = action;
  return {
    cluster,
    actionId,
    action,
    state: "sent",
    operationId: null,
    nodes: [],
    added: [],
    messages: [],
    createdAtSeconds,
    updatedAtSeconds: createdAtSeconds,
    ...fields,
  };
}

export function requestedNode(name: string): RequestedNode {
  return {
    nodeId: `id-${name}`,
    name,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    placementGroup: null,
  };
}
