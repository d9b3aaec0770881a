import { isWritten, kindOf, messageOf } from "../../errors/errors.ts";
import type {
  CycleCloud,
  CycleSettings,
  Operation,
  Ports,
  RequestedNode,
  Snapshot,
  Stored,
} from "../../ports/index.ts";
import { exactDuration } from "../../text/durations.ts";
import { isRefusedLogin } from "../login.ts";
import { isVisibleIn } from "../operations.ts";

type ResolvePorts = Pick<Ports, "clock" | "log" | "operations">;

interface Seen {
  readonly cluster: string;
  readonly snapshot: Snapshot;
  readonly settings: Pick<CycleSettings, "nodeListLagSeconds" | "operationTimeoutSeconds">;
}

/**
 * Updates open operations from a snapshot. Closes those whose effect is visible, and, after `operationTimeoutSeconds`
 * and one query of CycleCloud, those without a trace. Returns how many were closed.
 *
 * CycleCloud's lists may lag. For `nodeListLagSeconds` a missing node or request proves nothing: an operation is closed
 * for something missing only by a list that was read after that.
 */
export async function resolveOperations(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  seen: Seen,
): Promise<number> {
  let closed = 0;
  for (const operation of await ports.operations.open(seen.cluster)) {
    try {
      const next = await resolve(ports, cycleCloud, operation.value, seen);
      if (next === undefined || !(await save(ports, next, operation))) continue;
      if (next.state !== "accepted") closed += 1;
      report(ports, next);
    } catch (error) {
      if (isRefusedLogin(error)) throw error;
      // It stays open and the next snapshot retries it; the other operations, and the plan that is due, do not wait.
      const { actionId } = operation.value;
      ports.log.error("operation-not-resolved", {
        cluster: seen.cluster,
        actionId,
        message: messageOf(error),
      });
    }
  }
  return closed;
}

async function resolve(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  operation: Operation,
  { snapshot, settings }: Seen,
): Promise<Operation | undefined> {
  const nowSeconds = ports.clock.nowSeconds();
  const isAccepted = operation.state === "accepted";
  // A reading that started before the server agreed may not show the effect yet.
  const isSeen = isAccepted && snapshot.takenAtSeconds > operation.updatedAtSeconds;
  if (isSeen && isVisibleIn(operation, snapshot))
    return closedAs(operation, { state: "visible", nowSeconds });

  const waits = waitsOf(operation, settings);
  const isLate = nowSeconds > waits.fromSeconds + waits.forSeconds;
  // For a create that is not visible, the server's list shows which nodes it made, and which of them are gone again.
  const isUntold = isSeen || operation.nodes.length === 0;
  const isUnclear = isAccepted && operation.action.kind === "create-nodes" && isUntold;
  const isUnknown = !isAccepted && operation.unknownSinceSeconds !== undefined;
  const isUnanswered = isCreateWithoutAnswer(operation, snapshot);
  if (!isLate && !isUnclear && !isUnknown && !isUnanswered) return undefined;

  const request = await lookUp(ports, cycleCloud, operation);
  if (request.outcome === "no-answer") {
    // A missing answer does not prove that nothing was made. It counts as proof only after the same time again, so that
    // jobs do not wait for ever.
    if (nowSeconds <= waits.fromSeconds + 2 * patience(settings)) return undefined;
    return closedAs(operation, {
      state: "lost",
      why: "CycleCloud could not report its state",
      nowSeconds,
    });
  }
  const caughtUp = nowSeconds > operation.updatedAtSeconds + settings.nodeListLagSeconds;
  const told = isUnclear ? afterList(operation, request.nodes, { caughtUp, nowSeconds }) : undefined;
  if (told !== undefined) return told;
  // A request that is known was carried out, also when its nodes do not show: they do not yet, or they are gone again.
  if (!isAccepted && request.outcome === "known") {
    const { unknownSinceSeconds: _, ...accepted } = operation;
    return { ...accepted, state: "accepted", nodes: request.nodes, updatedAtSeconds: nowSeconds };
  }
  if (!isLate) return undefined;
  const why = isUnknown
    ? `CycleCloud did not know request ${operation.action.requestId} for ${exactDuration(waits.forSeconds)}`
    : `no effect seen within ${exactDuration(waits.forSeconds)}`;
  return closedAs(operation, { state: "lost", why, nowSeconds });
}

/**
 * A create that CycleCloud was asked for before the snapshot began, without an answer on record: until its nodes are
 * known, all of them count as coming, beside those that the snapshot shows.
 */
function isCreateWithoutAnswer(
  { state, action, asked, updatedAtSeconds }: Operation,
  { takenAtSeconds }: Pick<Snapshot, "takenAtSeconds">,
): boolean {
  const isCreate = action.kind === "create-nodes";
  return isCreate && state === "sent" && asked === true && updatedAtSeconds < takenAtSeconds;
}

/** When an operation was last updated, and how long after that it counts as lost. */
function waitsOf(
  { state, action, updatedAtSeconds, unknownSinceSeconds }: Operation,
  settings: Seen["settings"],
): { readonly fromSeconds: number; readonly forSeconds: number } {
  if (state === "accepted") return { fromSeconds: updatedAtSeconds, forSeconds: patience(settings) };
  return unknownSinceSeconds === undefined
    ? { fromSeconds: action.expiresAtSeconds, forSeconds: patience(settings) }
    : { fromSeconds: unknownSinceSeconds, forSeconds: settings.nodeListLagSeconds };
}

function patience({ nodeListLagSeconds, operationTimeoutSeconds }: Seen["settings"]): number {
  return Math.max(nodeListLagSeconds, operationTimeoutSeconds);
}

/** `known`: CycleCloud knows the request, and lists these nodes. `unknown`: it does not, or not yet. */
type RequestLookup =
  | { readonly outcome: "known" | "unknown"; readonly nodes: readonly RequestedNode[] }
  | { readonly outcome: "no-answer" };

/** An operation that CycleCloud cannot report must not block the others. */
async function lookUp(
  ports: ResolvePorts,
  cycleCloud: CycleCloud,
  { cluster, actionId, action }: Operation,
): Promise<RequestLookup> {
  try {
    const nodes = await cycleCloud.nodesOfRequest(action.requestId);
    return nodes === undefined ? { outcome: "unknown", nodes: [] } : { outcome: "known", nodes };
  } catch (error) {
    if (kindOf(error) !== "upstream" || isRefusedLogin(error)) throw error;
    ports.log.warn("operation-not-found-out", { cluster, actionId, message: messageOf(error) });
    return { outcome: "no-answer" };
  }
}

/** The result of an accepted create's node list. `caughtUp`: the list no longer lags. */
function afterList(
  operation: Operation,
  listed: readonly RequestedNode[],
  { caughtUp, nowSeconds }: { readonly caughtUp: boolean; readonly nowSeconds: number },
): Operation | undefined {
  const { nodes: before, added } = operation;
  if (!caughtUp) {
    const nodes = together(before, listed);
    return nodes.length > before.length ? { ...operation, nodes } : undefined;
  }
  if (listed.length > 0) {
    const isNews = operation.isToldWhole !== true || idsOf(listed) !== idsOf(before);
    return isNews ? { ...operation, nodes: listed, isToldWhole: true } : undefined;
  }
  // It had its effect, and its nodes were deleted before a snapshot showed them.
  if (before.length > 0)
    return closedAs(operation, { state: "visible", why: "its nodes are gone again", nowSeconds });
  // Its answer was lost: nodes may have been added or not, so the operation is not reported as without effect.
  const why = "CycleCloud carried it out, and lists no nodes of it: none was made, or all are gone again";
  return added.length === 0 ? closedAs(operation, { state: "visible", why, nowSeconds }) : undefined;
}

function together(
  before: readonly RequestedNode[],
  listed: readonly RequestedNode[],
): readonly RequestedNode[] {
  const idsBefore = new Set(before.map(({ nodeId }) => nodeId));
  return [...before, ...listed.filter(({ nodeId }) => !idsBefore.has(nodeId))];
}

function idsOf(nodes: readonly RequestedNode[]): string {
  return JSON.stringify(nodes.map((node) => node.nodeId).sort());
}

function closedAs(
  operation: Operation,
  to: { readonly state: "visible" | "lost"; readonly why?: string; readonly nowSeconds: number },
): Operation {
  const messages = to.why === undefined ? operation.messages : [...operation.messages, to.why];
  return { ...operation, state: to.state, messages, updatedAtSeconds: to.nowSeconds };
}

/** False when the executor wrote at the same moment: the next snapshot checks again. */
async function save(ports: ResolvePorts, next: Operation, before: Stored<Operation>): Promise<boolean> {
  return isWritten(() => ports.operations.save(next, before.etag));
}

function report(ports: ResolvePorts, operation: Operation): void {
  const { cluster, actionId, state, messages } = operation;
  const fields = { cluster, actionId, kind: operation.action.kind, state };
  if (state === "lost") ports.log.error("operation", { ...fields, messages: messages.join("; ") });
  else ports.log.info("operation", fields);
}
