import { kindOf } from "../errors.ts";
import type { CreateNodesAction, NodesAction, ScaleAction } from "../messages/scale-action.ts";
import type { CycleCloud, Operation, OperationState, Ports, RequestedNode, Stored } from "../ports.ts";
import { recheckNodes } from "./recheck-nodes.ts";

type ExecutePorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "cycleCloudFor"
  | "demand"
  | "history"
  | "log"
  | "operations"
  | "schedulerEvents"
  | "snapshots"
>;

export type ExecuteOutcome =
  | { readonly outcome: OperationState; readonly messages: readonly string[] }
  /** Nothing is known of the action, or it was carried out before. */
  | { readonly outcome: "already-done" };

/** How an action ended, to be written into its operation. */
type Fate = Pick<Operation, "state" | "messages"> &
  Partial<Pick<Operation, "operationId" | "nodes" | "added">>;

/**
 * Carries an action out, exactly once in effect: what was done before is not done again, because the operation says so,
 * or, when a run died between the call and its record, because CycleCloud knows the request id.
 *
 * Throws UpstreamError when CycleCloud does not answer as documented: the action is then tried again.
 */
export async function executeAction(ports: ExecutePorts, action: ScaleAction): Promise<ExecuteOutcome> {
  if ((await loadDue(ports, action)) === undefined) return report(ports, action, { outcome: "already-done" });
  const fate = await carryOut(ports, action);
  await record(ports, action, fate);
  return report(ports, action, { outcome: fate.state, messages: fate.messages });
}

async function loadDue(ports: ExecutePorts, action: ScaleAction): Promise<Stored<Operation> | undefined> {
  const operation = await ports.operations.load(action.cluster, action.actionId);
  const isDue = operation?.value.state === "planned" || operation?.value.state === "sent";
  return isDue ? operation : undefined;
}

/** The planner marks an action as sent while it is being carried out: that takes nothing from what came of it. */
async function record(ports: ExecutePorts, action: ScaleAction, fate: Fate): Promise<void> {
  const operation = await loadDue(ports, action);
  if (operation === undefined) return;
  try {
    const updatedAtSeconds = ports.clock.nowSeconds();
    await ports.operations.save({ ...operation.value, ...fate, updatedAtSeconds }, operation.etag);
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
    await record(ports, action, fate);
  }
}

async function carryOut(ports: ExecutePorts, action: ScaleAction): Promise<Fate> {
  const config = await ports.configs.load(action.cluster);
  if (config === undefined) return dropped(`cluster "${action.cluster}" is no longer configured`);
  const cycleCloud = ports.cycleCloudFor(config);
  if (config.cycle.readOnly) return droppedOrDone(cycleCloud, action, "the cluster has become read-only");
  if (ports.clock.nowSeconds() > action.expiresAtSeconds)
    return droppedOrDone(cycleCloud, action, "expired before its turn came");
  return action.kind === "create-nodes"
    ? createNodes(cycleCloud, action)
    : actOnNodes(ports, cycleCloud, action);
}

function dropped(why: string): Fate {
  return { state: "dropped", messages: [why] };
}

/** An earlier run may have asked for it and died before it could say so: nodes that were made then must not be forgotten. */
async function droppedOrDone(cycleCloud: CycleCloud, action: ScaleAction, why: string): Promise<Fate> {
  const nodes = await cycleCloud.nodesOfRequest(action.requestId);
  return nodes === undefined ? dropped(why) : doneBefore(nodes);
}

/** A request that is known and whose nodes do not show yet: the snapshots look for them until the operation times out. */
function doneBefore(nodes: readonly RequestedNode[], messages: readonly string[] = []): Fate {
  return { state: "accepted", messages: [...messages, "was asked for before"], nodes };
}

async function createNodes(cycleCloud: CycleCloud, action: CreateNodesAction): Promise<Fate> {
  const answer = await cycleCloud.createNodes({ requestId: action.requestId, sets: action.sets });
  const nodes = await cycleCloud.nodesOfRequest(action.requestId);
  if (answer.outcome === "refused") return refusedOrDone(answer.message, nodes);
  const added = answer.sets.map((set) => set.added);
  const messages = answer.sets.flatMap((set) => (set.message === undefined ? [] : [set.message]));
  const total = added.reduce((sum, each) => sum + each, 0);
  const state = total === 0 ? "failed" : "accepted";
  return { state, messages, operationId: answer.operationId, nodes: nodes ?? [], added };
}

/** A 409 means that the request id was used before, or that the request is invalid: whether the server knows it tells which. */
function refusedOrDone(
  message: string,
  nodes: readonly RequestedNode[] | undefined,
  stale: readonly string[] = [],
): Fate {
  return nodes === undefined ? { state: "failed", messages: [...stale, message] } : doneBefore(nodes, stale);
}

async function actOnNodes(ports: ExecutePorts, cycleCloud: CycleCloud, action: NodesAction): Promise<Fate> {
  const { due, stale } = await recheckNodes(ports, action);
  if (due.length === 0) return { state: "dropped", messages: stale };
  const request = { requestId: action.requestId, nodeIds: due.map((node) => node.nodeId) };
  const answer =
    action.kind === "start-nodes"
      ? await cycleCloud.startNodes(request)
      : await cycleCloud.shutdownNodes(request);
  if (answer.outcome === "refused")
    return refusedOrDone(answer.message, await cycleCloud.nodesOfRequest(action.requestId), stale);
  const errors = answer.nodes.flatMap(({ name, error }) =>
    error === undefined ? [] : [`${name}: ${error}`],
  );
  const refusedIds = new Set(
    answer.nodes.filter((node) => node.error !== undefined).map((node) => node.nodeId),
  );
  const nodes = due.filter((node) => !refusedIds.has(node.nodeId));
  const state = nodes.length === 0 ? "failed" : "accepted";
  return { state, messages: [...stale, ...errors], operationId: answer.operationId, nodes };
}

function report(ports: ExecutePorts, action: ScaleAction, outcome: ExecuteOutcome): ExecuteOutcome {
  const messages = outcome.outcome === "already-done" ? [] : outcome.messages;
  const fields = {
    cluster: action.cluster,
    actionId: action.actionId,
    kind: action.kind,
    outcome: outcome.outcome,
    reason: action.reason,
    ...(messages.length === 0 ? {} : { messages: messages.join("; ") }),
  };
  if (outcome.outcome === "failed") ports.log.warn("action", fields);
  else ports.log.info("action", fields);
  return outcome;
}
