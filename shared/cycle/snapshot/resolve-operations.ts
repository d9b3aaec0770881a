import { kindOf, messageOf } from "../../errors.ts";
import type { CycleCloud, Operation, Ports, RequestedNode, Snapshot, Stored } from "../../ports/index.ts";
import { isRefusedLogin } from "../login.ts";
import { isVisibleIn } from "../operations.ts";

type ResolvePorts = Pick<Ports, "clock" | "log" | "operations">;

/**
 * Moves open operations on by what a snapshot shows. Closes those whose effect is visible, and, after
 * `operationTimeoutSeconds` and one look at CycleCloud, those that left no trace. Returns how many were closed.
 */
export async function resolveOperations(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  seen: {
    readonly cluster: string;
    readonly snapshot: Snapshot;
    readonly operationTimeoutSeconds: number;
  },
): Promise<number> {
  let closed = 0;
  for (const operation of await ports.operations.open(seen.cluster)) {
    const next = await resolve(ports, cycleCloud, operation.value, seen);
    if (next === undefined || !(await save(ports, next, operation))) continue;
    if (next.state !== "accepted") closed += 1;
    report(ports, next);
  }
  return closed;
}

async function resolve(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  operation: Operation,
  seen: { readonly snapshot: Snapshot; readonly operationTimeoutSeconds: number },
): Promise<Operation | undefined> {
  const updatedAtSeconds = ports.clock.nowSeconds();
  const isAccepted = operation.state === "accepted";
  // A reading that was started before the server agreed need not show anything yet.
  const isSeen = isAccepted && seen.snapshot.takenAtSeconds > operation.updatedAtSeconds;
  if (isSeen && isVisibleIn(operation, seen.snapshot))
    return { ...operation, state: "visible", updatedAtSeconds };

  const waitsFrom = isAccepted ? operation.updatedAtSeconds : operation.action.expiresAtSeconds;
  const isLate = updatedAtSeconds > waitsFrom + seen.operationTimeoutSeconds;
  // Of a create that does not show, the server's list tells what it made, and which of that is gone again.
  const isUntold = isSeen || operation.nodes.length === 0;
  const isUnclear = isAccepted && operation.action.kind === "create-nodes" && isUntold;
  if (!isLate && !isUnclear) return undefined;

  const nodes = await lookUp(ports, cycleCloud, operation);
  if (nodes === undefined) {
    // No answer is no proof that nothing was made. Only after as long again is it taken for that, lest jobs wait for ever.
    const givesUpAt = waitsFrom + 2 * seen.operationTimeoutSeconds;
    if (updatedAtSeconds <= givesUpAt) return undefined;
    const messages = [...operation.messages, "CycleCloud could not tell what became of it"];
    return { ...operation, state: "lost", messages, updatedAtSeconds };
  }
  return afterLookUp(operation, {
    nodes,
    isLate,
    isUnclear,
    isAccepted,
    updatedAtSeconds,
    seen,
  });
}

/** Undefined when CycleCloud does not answer: one operation that it cannot tell about must not hold up the others. */
async function lookUp(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  { cluster, actionId, action }: Operation,
): Promise<readonly RequestedNode[] | undefined> {
  try {
    return (await cycleCloud.nodesOfRequest(action.requestId)) ?? [];
  } catch (error) {
    if (kindOf(error) !== "upstream" || isRefusedLogin(error)) throw error;
    ports.log.warn("operation-not-found-out", { cluster, actionId, message: messageOf(error) });
    return undefined;
  }
}

function afterLookUp(
  operation: Operation,
  found: {
    readonly nodes: readonly RequestedNode[];
    readonly isLate: boolean;
    readonly isUnclear: boolean;
    readonly isAccepted: boolean;
    readonly updatedAtSeconds: number;
    readonly seen: { readonly operationTimeoutSeconds: number };
  },
): Operation | undefined {
  const { nodes, isLate, isUnclear, isAccepted, updatedAtSeconds, seen } = found;
  // It had its effect, and what it made was deleted before a snapshot saw it.
  const isGone = isUnclear && operation.nodes.length > 0 && nodes.length === 0;
  if (isGone) {
    const messages = [...operation.messages, "its nodes are gone again"];
    return { ...operation, state: "visible", messages, updatedAtSeconds };
  }
  if (isUnclear && nodes.length > 0 && idsOf(nodes) !== idsOf(operation.nodes))
    return { ...operation, nodes };
  if (!isLate) return undefined;
  if (!isAccepted && nodes.length > 0) return { ...operation, state: "accepted", nodes, updatedAtSeconds };
  const messages = [...operation.messages, `no effect seen within ${seen.operationTimeoutSeconds} s`];
  return { ...operation, state: "lost", messages, updatedAtSeconds };
}

function idsOf(nodes: readonly RequestedNode[]): string {
  return JSON.stringify(nodes.map((node) => node.nodeId).sort());
}

/** False when the executor was writing at the same moment: the next snapshot looks again. */
async function save(ports: ResolvePorts, next: Operation, before: Stored<Operation>): Promise<boolean> {
  try {
    await ports.operations.save(next, before.etag);
    return true;
  } catch (error) {
    if (kindOf(error) === "conflict") return false;
    throw error;
  }
}

function report(ports: ResolvePorts, operation: Operation): void {
  const { cluster, actionId, state } = operation;
  const fields = { cluster, actionId, kind: operation.action.kind, state };
  if (state === "lost") ports.log.error("operation", fields);
  else ports.log.info("operation", fields);
}
