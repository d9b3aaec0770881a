import { answerOr } from "../../errors/errors.ts";
import type {
  ActionCreateSet,
  CreateNodesAction,
  ManageNodesAction,
  NodesAction,
  ScaleAction,
} from "../../messages/index.ts";
import type {
  CreatedSet,
  CycleCloud,
  ManagementVerb,
  Operation,
  Ports,
  RequestedNode,
  Shortfall,
} from "../../ports/index.ts";
import { fitCreate, wholeOf } from "./fit-create.ts";
import { lastLook } from "./last-look.ts";
import { type RecheckPorts, recheckNodes } from "./recheck-nodes.ts";

/** The result of an action, to be recorded in its operation. */
export type Fate = Pick<Operation, "state" | "messages"> &
  Partial<Pick<Operation, "operationId" | "nodes" | "added" | "shortfalls" | "unknownSinceSeconds">>;

/** `ask` runs one call that changes something, after recording that it will be made. */
interface Server {
  readonly cycleCloud: CycleCloud;
  readonly ask: <T>(call: () => Promise<T>) => Promise<T>;
}

/**
 * Sends the action to CycleCloud. Throws UpstreamError when it does not answer as documented, and UnreadDemandError
 * when nodes have to wait for unread demand. `wasAsked`: an earlier try may have had its effect.
 */
export async function carryOut(
  ports: RecheckPorts & Pick<Ports, "operations">,
  server: Server & { readonly wasAsked: boolean },
  action: ScaleAction,
): Promise<Fate> {
  return action.kind === "create-nodes"
    ? createNodes(ports, server, action)
    : actOnNodes(ports, server, { action, ...(await recheckNodes(ports, server.cycleCloud, action)) });
}

export function dropped(why: string): Fate {
  return { state: "dropped", messages: [why] };
}

/** An earlier try may have had its effect: its nodes must not be forgotten. */
export async function droppedOrDone(
  cycleCloud: CycleCloud,
  action: ScaleAction,
  drop: { readonly why: string; readonly nowSeconds: number },
): Promise<Fate> {
  const nodes = await cycleCloud.nodesOfRequest(action.requestId);
  if (nodes !== undefined) return doneBefore(nodes);
  return action.kind === "create-nodes" ? notKnown([drop.why], drop.nowSeconds) : dropped(drop.why);
}

/**
 * CycleCloud may have made nodes, and does not know the request, or not yet: its lists lag. The create stays open, and the
 * snapshots look it up until they no longer can. Other actions need none of this, since asking for one twice does no harm.
 */
function notKnown(messages: readonly string[], nowSeconds: number): Fate {
  return {
    state: "sent",
    messages: [...messages, "CycleCloud does not know the request yet"],
    unknownSinceSeconds: nowSeconds,
  };
}

/** A request that is known and whose nodes do not show yet: the snapshots look for them until the operation times out. */
function doneBefore(nodes: readonly RequestedNode[], messages: readonly string[] = []): Fate {
  return { state: "accepted", messages: [...messages, "was asked for before"], nodes };
}

/**
 * A 409 means that the request id was used before, or that the request is invalid: whether the server knows it shows which.
 * If it does not know a create, nothing follows from that yet.
 */
async function refusedOrDone(
  cycleCloud: CycleCloud,
  action: ScaleAction,
  answer: { readonly refusal: string; readonly stale?: readonly string[]; readonly nowSeconds: number },
): Promise<Fate> {
  const { refusal, stale = [], nowSeconds } = answer;
  const nodes = await cycleCloud.nodesOfRequest(action.requestId);
  if (nodes !== undefined) return doneBefore(nodes, stale);
  return action.kind === "create-nodes"
    ? notKnown([refusal], nowSeconds)
    : { state: "failed", messages: [...stale, refusal] };
}

async function createNodes(
  ports: Pick<Ports, "clock" | "operations" | "snapshots">,
  { cycleCloud, ask, wasAsked }: Server & { readonly wasAsked: boolean },
  action: CreateNodesAction,
): Promise<Fate> {
  const { requestId } = action;
  // A repeated create is sent unchanged: nodes of the earlier try must not count against it.
  const { sets: due, cut } = wasAsked ? wholeOf(action) : await fitCreate(ports, action);
  const cutMessages = cut.flatMap(({ message }) => message ?? []);
  if (due.length === 0) return { state: "dropped", messages: cutMessages, shortfalls: cut };
  const sets = due.map(({ set }) => set);
  const answer = await ask(() => cycleCloud.createNodes({ requestId, sets }));
  const nowSeconds = ports.clock.nowSeconds();
  if (answer.outcome === "refused")
    return refusedOrDone(cycleCloud, action, { refusal: answer.message, nowSeconds });
  const { operationId } = answer;
  const added = action.sets.map((_, place) => {
    const index = due.findIndex((each) => each.place === place);
    return answer.sets[index]?.added ?? 0;
  });
  const said = answer.sets.flatMap((set) => (set.message === undefined ? [] : [set.message]));
  const messages = [...cutMessages, ...said];
  const shortfalls = [...cut, ...shortfallsOf(sets, answer.sets, nowSeconds)];
  const fate = { messages, operationId, added, ...(shortfalls.length === 0 ? {} : { shortfalls }) };
  if (added.every((count) => count === 0)) return { ...fate, state: "failed" };
  return { ...fate, state: "accepted", nodes: await nodesMade(cycleCloud, requestId) };
}

function shortfallsOf(
  sets: readonly ActionCreateSet[],
  created: readonly CreatedSet[],
  atSeconds: number,
): readonly Shortfall[] {
  return sets.flatMap(({ nodeArray, vmSize, count: asked }, index) => {
    const { added, message = null } = created[index] ?? { added: asked };
    return added < asked ? [{ nodeArray, vmSize, asked, added, message, atSeconds }] : [];
  });
}

/** The server's agreement counts even when it cannot list the nodes now: the snapshots ask again. */
async function nodesMade(cycleCloud: CycleCloud, requestId: string): Promise<readonly RequestedNode[]> {
  const nodes = await answerOr(
    () => cycleCloud.nodesOfRequest(requestId),
    () => undefined,
  );
  return nodes ?? [];
}

const verbs: Readonly<Record<ManageNodesAction["kind"], ManagementVerb>> = {
  "remove-nodes": "remove",
  "terminate-nodes": "terminate",
  "deallocate-nodes": "deallocate",
  "restart-nodes": "restart",
  "reimage-nodes": "reimage",
};

async function actOnNodes(
  ports: RecheckPorts,
  { cycleCloud, ask }: Server,
  rechecked: Awaited<ReturnType<typeof recheckNodes>> & { readonly action: NodesAction },
): Promise<Fate> {
  const { action, due: dueBefore, stale: staleBefore } = rechecked;
  if (dueBefore.length === 0) return { state: "dropped", messages: staleBefore };
  if (action.kind === "retry-failed") {
    await ask(() => cycleCloud.retryFailedNodes());
    return { state: "accepted", messages: staleBefore, nodes: dueBefore };
  }
  const { due, stale, answer } = await ask(async () => {
    const last = await lastLook(ports, action, rechecked);
    const nodeIds = last.due.map(({ nodeId }) => nodeId);
    return {
      due: last.due,
      stale: [...staleBefore, ...last.stale],
      answer: nodeIds.length === 0 ? undefined : await callFor(cycleCloud, action, nodeIds),
    };
  });
  if (answer === undefined) return { state: "dropped", messages: stale };
  if (answer.outcome === "refused")
    return refusedOrDone(cycleCloud, action, {
      refusal: answer.message,
      stale,
      nowSeconds: ports.clock.nowSeconds(),
    });
  const refused = answer.nodes.filter((node) => node.error !== undefined);
  const refusedIds = new Set(refused.map((node) => node.nodeId));
  const nodes = due.filter((node) => !refusedIds.has(node.nodeId));
  const messages = [...stale, ...refused.map(({ name, error }) => `${name}: ${error}`)];
  const state = nodes.length === 0 ? "failed" : "accepted";
  return { state, messages, operationId: answer.operationId, nodes };
}

function callFor(
  cycleCloud: CycleCloud,
  action: Exclude<NodesAction, { kind: "retry-failed" }>,
  nodeIds: readonly string[],
): ReturnType<CycleCloud["shutdownNodes"]> {
  const request = { requestId: action.requestId, nodeIds };
  if (action.kind === "start-nodes") return cycleCloud.startNodes(request);
  if (action.kind !== "shutdown-nodes") return cycleCloud.manageNodes(verbs[action.kind], request);
  return action.verb === undefined
    ? cycleCloud.shutdownNodes(request)
    : cycleCloud.manageNodes(action.verb, request);
}
