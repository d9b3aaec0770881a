import { type Cluster, kindName } from "../engine/index.ts";
import type { Operation, PlanHead } from "../ports/index.ts";

export interface Since {
  /** The newest operations, newest first. */
  readonly operations: readonly Operation[];
  /** The newest plan. */
  readonly head: PlanHead | undefined;
  readonly cluster: Cluster | undefined;
  readonly nowSeconds: number;
}

/** What an operator asked for, and nobody repeated, is news for so long. */
const requestSeconds = 86_400;

/**
 * Whether an operation that failed needs nobody's attention any more: a newer one asked for the same, its nodes are gone, or a
 * later plan could have asked for it again and did not, because nothing needs it. Nobody repeats what people asked for,
 * so that ends after a day.
 */
export function isOvertaken(operation: Operation, since: Since): boolean {
  const { operations, cluster, nowSeconds } = since;
  const newer = operations.slice(
    0,
    operations.findIndex(({ actionId }) => actionId === operation.actionId),
  );
  if (newer.some((each) => each.state !== "dropped" && isSame(each, operation))) return true;
  if (isGone(operation, cluster)) return true;
  return operation.action.planId === null
    ? operation.updatedAtSeconds + requestSeconds <= nowSeconds
    : isNotNeeded(operation, since);
}

/** Whether the first asks for all that the second asked for. */
function isSame({ action: first }: Operation, { action: second }: Operation): boolean {
  if (first.kind !== second.kind) return false;
  const asked = new Set(subjectsOf(first));
  return subjectsOf(second).every((subject) => asked.has(subject));
}

function subjectsOf(action: Operation["action"]): readonly string[] {
  return action.kind === "create-nodes"
    ? action.sets.map(kindName)
    : action.nodes.map(({ nodeId }) => nodeId);
}

function isGone({ action }: Operation, cluster: Cluster | undefined): boolean {
  if (action.kind === "create-nodes" || cluster === undefined) return false;
  const there = new Set(cluster.nodes.map(({ nodeId }) => nodeId));
  return action.nodes.every(({ nodeId }) => !there.has(nodeId));
}

/** A plan asks anew for what is needed, except in a bucket that gets no new nodes for a while. */
function isNotNeeded({ action, updatedAtSeconds }: Operation, { head, nowSeconds }: Since): boolean {
  if (head === undefined || head.atSeconds <= updatedAtSeconds) return false;
  const isShort = [...head.waiting, ...head.targets].some(({ asked, granted }) => granted < asked);
  if (action.kind !== "create-nodes" || !isShort) return true;
  const closed = new Set(head.backedOff.filter((each) => each.untilSeconds > nowSeconds).map(kindName));
  return !subjectsOf(action).some((bucket) => closed.has(bucket));
}
