import type { ActionAnswer, ActionBody, CreateNodesBody, NodeActionKind } from "../api/index.ts";
import { requestsOf, toActions } from "../cycle/index.ts";
import type { ClusterNode } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import type { ActionNode, ScaleAction } from "../messages/index.ts";
import { isOpen } from "../ports/index.ts";
import { counted, someOf } from "../text/text.ts";
import { lookAhead, type Outlook, plannedThere } from "../views/index.ts";
import type { ActOutcome, ActPorts } from "./act-outcome.ts";
import { decideIgnored, decidePause } from "./decide-control.ts";
import { drainNodes, undrainNodes } from "./drain-nodes.ts";
import { drawUpCreation } from "./draw-up-creation.ts";
import { decideKeepAlive } from "./keep-nodes.ts";
import { type ActionDraft, requestAction } from "./request-action.ts";
import { rollNodes, stopRolling } from "./roll-nodes.ts";
import { chooseNodes, type Skipped } from "./select-nodes.ts";

/** An action that somebody asked for. */
export interface Ask {
  readonly cluster: string;
  readonly body: ActionBody;
  /** Names the request: the same key again asks for nothing new. */
  readonly key?: string | undefined;
}

/**
 * Carries out an operator's request like a plan's action: recorded with who asked and why, and sent to the executor,
 * which checks again. Requests that need no CycleCloud (pause, ignore, keep-alive, drain) take effect at once. A dry
 * run reports what would be done.
 *
 * Throws StaleSnapshotError for a cluster without a snapshot (which can be paused all the same), and what a store
 * throws.
 */
export async function act(ports: ActPorts, ask: Ask): Promise<ActOutcome> {
  const { body } = ask;
  if (body.kind === "pause" || body.kind === "resume") return decidePause(ports, ask.cluster, body);
  const outlook = await lookAhead(ports, ask.cluster);
  if (outlook === undefined) return { outcome: "unknown-cluster" };
  switch (body.kind) {
    case "ignore":
    case "unignore":
      return decideIgnored(ports, outlook, body);
    case "keep-alive":
      return decideKeepAlive(ports, outlook, body);
    case "drain":
      return drainNodes(ports, outlook, body);
    case "undrain":
      return undrainNodes(ports, outlook, body);
    case "roll":
      return rollNodes(ports, outlook, body);
    case "stop-rolling":
      return stopRolling(ports, outlook, body);
    case "create-nodes":
    case "start":
    case "delete":
    case "remove":
    case "terminate":
    case "deallocate":
    case "restart":
    case "reimage":
    case "retry-failed":
      return body.dryRun ? dryRun(outlook, body) : request(ports, outlook, { ...ask, body });
  }
}

/** Requests that are sent to CycleCloud. */
type Requested = Extract<ActionBody, { kind: "create-nodes" | NodeActionKind }>;

/** The drafts of a request, one per action, given everything that was recorded before. */
interface Drafts {
  readonly drafts: readonly ActionDraft[];
  readonly skipped: readonly Skipped[];
  readonly problems: readonly string[];
  /** As `Creation` has it. */
  readonly taken?: readonly string[] | undefined;
}

function draftsOf(outlook: Outlook, body: Requested): Drafts {
  if (body.kind === "create-nodes") return creationDrafts(outlook, body);
  const chosen = chooseNodes(outlook, body);
  if (!chosen.ok) return { drafts: [], skipped: [], problems: chosen.problems };
  return {
    drafts: requestsOf(chosen.nodes, toActionNode).map((nodes) => nodesDraft(body, nodes)),
    skipped: chosen.skipped,
    problems: [],
  };
}

function creationDrafts(outlook: Outlook, body: CreateNodesBody): Drafts {
  const creation = drawUpCreation(outlook, body);
  if (!creation.ok) return { drafts: [], skipped: [], problems: creation.problems, taken: creation.taken };
  const { plan, cluster, atSeconds } = outlook;
  const actions = toActions(
    { ...plan, create: creation.sets, start: [], retire: [], retry: [] },
    { cluster, planId: "", nowSeconds: atSeconds, expiresAtSeconds: atSeconds, requestIdOf: () => "" },
  );
  const drafts = actions.flatMap((action): ActionDraft[] =>
    action.kind === "create-nodes" ? [{ kind: action.kind, sets: action.sets }] : [],
  );
  return { drafts, skipped: [], problems: [] };
}

function toActionNode({ nodeId, name, hostname }: ClusterNode): ActionNode {
  return { nodeId, name, ...(hostname === null ? {} : { hostname }) };
}

function nodesDraft(
  { kind, force }: { readonly kind: NodeActionKind; readonly force: boolean },
  selected: readonly ClusterNode[],
): ActionDraft {
  const nodes = selected.map(toActionNode);
  switch (kind) {
    case "delete":
      return { kind: "shutdown-nodes", cause: "operator", force, nodes };
    case "start":
      return { kind: "start-nodes", nodes };
    case "retry-failed":
      return { kind: "retry-failed", nodes };
    case "drain":
      throw new Error("A drain asks nothing of CycleCloud");
    case "remove":
    case "terminate":
    case "deallocate":
    case "restart":
    case "reimage":
      return { kind: `${kind}-nodes`, force, nodes };
  }
}

function dryRun(outlook: Outlook, body: Requested): ActOutcome {
  const { drafts, skipped, problems } = draftsOf(outlook, body);
  const answer = answerOf(outlook, {
    actions: drafts.map((draft) => viewOf(null, draft)),
    skipped,
    problems,
    isDryRun: true,
  });
  // A dry run also answers for a paused cluster: the pause will end.
  const held = outlook.held === undefined ? "" : ` Nothing is sent now: ${outlook.held}.`;
  return { outcome: "answered", answer: { ...answer, summary: `${answer.summary}${held}` } };
}

/** Requests one action after the other, each decided from the records so far: nodes of an earlier action are skipped. */
async function request(
  ports: ActPorts,
  outlook: Outlook,
  { cluster, body, key }: Ask & { readonly body: Requested },
): Promise<ActOutcome> {
  const first = draftsOf(outlook, body);
  const actions: ActionAnswer["actions"][number][] = [];
  let { skipped, problems, taken } = first;
  // A repeated key may find its request under way, with nothing left to draft.
  let mayBeKnown = key !== undefined;
  // Once one action of a repeated key is over, nothing more is requested. Before that, a process may have died between its actions: the rest is requested.
  let isOver = false;
  const askedDigest = key === undefined ? undefined : ports.ids.digest(canonicalJson(body));
  const isNews = ({ node }: Skipped) => !skipped.some((each) => each.node === node);
  for (let index = 0; ; index += 1) {
    const isWanted = index < first.drafts.length && problems.length === 0;
    if (!isWanted && !mayBeKnown) break;
    const asked = await requestAction<Drafts>(ports, {
      cluster,
      requestedBy: { who: body.by, why: body.reason },
      ...(key !== undefined && { key: `${cluster}\n${key}\n${index}` }),
      ...(askedDigest !== undefined && { askedDigest }),
      decide: async () => {
        if (isOver) return { refused: { drafts: [], skipped: [], problems: [] } };
        const now = await lookAhead(ports, cluster);
        const drafts = now === undefined ? first : draftsOf(now, remaining(body, first, index));
        const [draft] = drafts.drafts;
        return draft === undefined ? { refused: drafts } : { ask: draft };
      },
    });
    if ("operation" in asked && asked.operation.askedDigest !== askedDigest)
      return { outcome: "key-reused", actionId: asked.operation.actionId };
    mayBeKnown = asked.outcome === "known";
    if (asked.outcome === "known") {
      problems = [];
      isOver ||= !isOpen(asked.operation);
    }
    switch (asked.outcome) {
      case "unknown-cluster":
        return { outcome: "unknown-cluster" };
      case "busy":
        if (actions.length === 0) return { outcome: "busy" };
        problems = ["too many requests at the same moment: the rest was not asked for"];
        break;
      case "held":
        problems = [`nothing is sent: ${asked.why}`];
        taken = undefined;
        break;
      case "refused":
        skipped = [...skipped, ...asked.why.skipped.filter(isNews)];
        problems = actions.length > 0 && first.drafts.length <= index ? [] : asked.why.problems;
        ({ taken } = asked.why);
        break;
      case "requested":
      case "known":
        actions.push(viewOf(asked.operation.actionId, asked.operation.action));
    }
  }
  const { actionTtlSeconds } = outlook.config.cycle;
  skipped = skipped.filter(({ node }) => !isActedOn(actions, node));
  const answer = answerOf(outlook, { actions, skipped, problems, isDryRun: false, actionTtlSeconds });
  return answer.outcome === "refused"
    ? { outcome: "refused", problems, answer, ...(taken === undefined ? {} : { taken }) }
    : { outcome: "answered", answer };
}

/** The same text for the same JSON, whatever the order of keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isDictionary(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** The rest of a creation, for a later action. Scattered nodes stay in the bucket of the first. */
function remaining(body: Requested, { drafts }: Drafts, index: number): Requested {
  if (body.kind !== "create-nodes" || index === 0) return body;
  const sets = drafts.slice(index).flatMap((draft) => (draft.kind === "create-nodes" ? draft.sets : []));
  const count = sets.reduce((sum, set) => sum + set.count, 0);
  const { slots: _, ...rest } = body;
  const [first] = sets;
  if (body.strategy === "pack" || first === undefined) return { ...rest, count };
  const { nodeArray, vmSize, placementGroup } = first;
  return { ...rest, nodeArray, vmSize, ...(placementGroup === null ? {} : { placementGroup }), count };
}

function isActedOn(actions: ActionAnswer["actions"], node: string): boolean {
  return actions.some(({ nodes }) => nodes.some(({ name }) => name === node));
}

function viewOf(actionId: string | null, action: ActionDraft | ScaleAction): ActionAnswer["actions"][number] {
  const { kind } = action;
  if (action.kind !== "create-nodes")
    return { actionId, kind, nodes: action.nodes.map(({ nodeId, name }) => ({ nodeId, name })), create: [] };
  const create = action.sets.map(({ nodeArray, vmSize, placementGroup, count, names }) => ({
    nodeArray,
    vmSize,
    placementGroup,
    count,
    names,
  }));
  return { actionId, kind, nodes: [], create };
}

function answerOf(
  outlook: Outlook,
  done: Pick<ActionAnswer, "actions" | "skipped" | "problems"> & {
    readonly isDryRun: boolean;
    readonly actionTtlSeconds?: number;
  },
): ActionAnswer {
  const { cluster, atSeconds } = outlook;
  const { actions, skipped, problems, isDryRun, actionTtlSeconds = null } = done;
  const outcome =
    actions.length > 0 && !(isDryRun && problems.length > 0)
      ? isDryRun
        ? "would"
        : "requested"
      : problems.length > 0
        ? "refused"
        : "nothing-to-do";
  return {
    cluster,
    atSeconds,
    outcome,
    summary: `${summaryOf(outcome, { actions, skipped })}${displaced(outlook, actions)}`,
    actions,
    skipped,
    problems,
    expiresInSeconds: outcome === "requested" ? actionTtlSeconds : null,
  };
}

/** Jobs that are planned on nodes being removed. They do not run there, so no work is lost. */
function displaced({ input, plan }: Outlook, actions: ActionAnswer["actions"]): string {
  const taken = actions.filter(({ kind }) => takingAway.includes(kind)).flatMap(({ nodes }) => nodes);
  const ids = new Set(taken.map(({ nodeId }) => nodeId));
  const there = plan.nodes.filter(({ nodeId }) => nodeId !== null && ids.has(nodeId));
  const jobs = [...new Set(there.flatMap((node) => plannedThere(input, node)))];
  if (jobs.length === 0) return "";
  const [noun, verb] = jobs.length === 1 ? ["job", "is"] : ["jobs", "are"];
  return ` ${jobs.length} ${noun} ${verb} planned there, and not running there: ${someOf(jobs)}.`;
}

const takingAway: readonly string[] = [
  "shutdown-nodes",
  "remove-nodes",
  "terminate-nodes",
  "deallocate-nodes",
  "restart-nodes",
  "reimage-nodes",
] satisfies readonly ScaleAction["kind"][];

function summaryOf(
  outcome: ActionAnswer["outcome"],
  { actions, skipped }: Pick<ActionAnswer, "actions" | "skipped">,
): string {
  const nodes = actions.reduce(
    (sum, { nodes, create }) => sum + nodes.length + create.reduce((total, { count }) => total + count, 0),
    0,
  );
  const left = skipped.length === 0 ? "" : `; ${skipped.length} left alone`;
  const retry = actions.some(({ kind }) => kind === "retry-failed")
    ? " CycleCloud retries every failed node of the cluster: its call takes no list."
    : "";
  const fresh = actions.some(({ kind }) => kind === "create-nodes")
    ? " Nodes without jobs are deleted after the idle time-out, unless they are keep-alive."
    : "";
  switch (outcome) {
    case "requested":
      return `Asked for ${actions[0]?.kind}: ${counted(nodes, "nodes")}${left}.${retry}${fresh}`;
    case "would":
      return `Would ask for ${actions[0]?.kind}: ${counted(nodes, "nodes")}${left}.${retry}${fresh}`;
    case "refused":
      return "Refused.";
    case "done":
    case "nothing-to-do":
      return `Nothing to do${left}.`;
  }
}
