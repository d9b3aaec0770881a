import type { OperationsAnswer, OperationsQuery, OperationView } from "../api/index.ts";
import type { Operation, Ports } from "../ports/index.ts";
import { pageOf, pageOfTimeline } from "./page.ts";

/** Limit of operations that are filtered by their nodes; there may be any number. */
export const mostLookedThrough = 1_000;

type OperationPorts = Pick<Ports, "clock" | "operations">;

/** Requests to CycleCloud and their fate, newest first. */
export async function listOperations(
  ports: OperationPorts,
  cluster: string,
  query: OperationsQuery,
): Promise<OperationsAnswer> {
  const { operations } = ports;
  const atSeconds = ports.clock.nowSeconds();
  const nameOf = ({ actionId }: Operation) => actionId;
  const isLate = ({ createdAtSeconds }: Operation) => createdAtSeconds >= (query.from ?? 0);
  const page =
    query.open === true
      ? pageOf(
          (await operations.open(cluster))
            .map(({ value }) => value)
            .reverse()
            .filter(isLate),
          query,
          { nameOf },
        )
      : await pageOfTimeline(
          {
            load: (limit, untilSeconds) => operations.recent(cluster, limit, query.from, untilSeconds),
            atSecondsOf: ({ createdAtSeconds }) => createdAtSeconds,
            nameOf,
          },
          query,
        );
  return {
    cluster,
    atSeconds,
    operations: page.items.map(toOperationView),
    next: page.next,
    total: page.total,
  };
}

/** Undefined when nothing of that id is recorded (any more). */
export async function showOperation(
  ports: OperationPorts,
  cluster: string,
  actionId: string,
): Promise<OperationView | undefined> {
  const stored = await ports.operations.load(cluster, actionId);
  return stored === undefined ? undefined : toOperationView(stored.value);
}

/** How many nodes an action asks for, or is about. */
export function nodesAsked(action: Operation["action"]): number {
  return action.kind === "create-nodes"
    ? action.sets.reduce((sum, { count }) => sum + count, 0)
    : action.nodes.length;
}

export function toOperationView(operation: Operation): OperationView {
  const { action, actionId, state, operationId, nodes, added, messages, attempts = 0 } = operation;
  const sets = action.kind === "create-nodes" ? action.sets : [];
  const about = action.kind === "create-nodes" || nodes.length > 0 ? nodes : action.nodes;
  return {
    actionId,
    kind: action.kind,
    state,
    reason: action.reason,
    requestedBy: action.requestedBy ?? null,
    planId: action.planId,
    requestId: action.requestId,
    operationId,
    nodeCount: nodesAsked(action),
    nodes: about.map(({ nodeId, name }) => ({ nodeId, name })),
    sets: sets.map(({ nodeArray, vmSize, placementGroup, count }, index) => ({
      nodeArray,
      vmSize,
      placementGroup,
      asked: count,
      added: added[index] ?? null,
    })),
    messages,
    attempts,
    createdAtSeconds: operation.createdAtSeconds,
    updatedAtSeconds: operation.updatedAtSeconds,
    expiresAtSeconds: action.expiresAtSeconds,
  };
}
