import type { Plan, Retirement } from "../../engine/index.ts";
import {
  isOpen,
  type Operation,
  type PlanHead,
  type Snapshot,
  type TroubledNode,
} from "../../ports/index.ts";

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
  facts: {
    readonly before: Pick<PlanHead, "troubled"> | undefined;
    readonly operations: readonly Operation[];
    readonly snapshot: Snapshot;
    readonly failedNodeRetries: number;
    readonly isSent: boolean;
    readonly nowSeconds: number;
  },
): Decided {
  const { snapshot, nowSeconds } = facts;
  const nodes = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const remembered = stillTrue(facts.before?.troubled ?? [], nodes);
  const retries = countRetries(remembered);
  const underWay = nodesUnderRetry(facts.operations);
  const leaving = new Set(plan.retire.map(({ nodeId }) => nodeId));
  const failed = plan.retry.filter(({ nodeId }) => !underWay.has(nodeId) && !leaving.has(nodeId));
  const isGivenUp = (nodeId: string) => (retries.get(nodeId) ?? 0) >= facts.failedNodeRetries;
  const retry = failed.filter(({ nodeId }) => !isGivenUp(nodeId));
  const givenUp = failed.flatMap(({ nodeId, name }): Retirement[] => {
    const node = nodes.get(nodeId);
    if (node === undefined || node.keepAlive || !isGivenUp(nodeId)) return [];
    const { nodeArray, hostname } = node;
    return [{ nodeId, name, nodeArray, hostname, cause: "failed", sinceSeconds: nowSeconds }];
  });
  const decided = { ...plan, retry, retire: [...plan.retire, ...givenUp] };
  if (!facts.isSent) return { plan: decided, troubled: remembered };
  const retried = retry.map(({ nodeId }) => ({
    nodeId,
    nodeArray: nodes.get(nodeId)?.nodeArray ?? "",
    atSeconds: nowSeconds,
  }));
  return { plan: decided, troubled: [...remembered, ...retried] };
}

/** Retries count until the node is up or gone. */
function stillTrue(
  troubled: readonly TroubledNode[],
  nodes: ReadonlyMap<string, Snapshot["cluster"]["nodes"][number]>,
): readonly TroubledNode[] {
  return troubled.filter(({ nodeId }) => {
    const node = nodes.get(nodeId);
    return node !== undefined && node.status !== "Ready";
  });
}

function countRetries(troubled: readonly TroubledNode[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeId } of troubled) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  return counts;
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
