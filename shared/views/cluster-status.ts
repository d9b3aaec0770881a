import { type ClusterStatus, lostNode, type OperationStatus, only, type SourceStatus } from "../api/index.ts";
import { doubtsOfSummaries, loadControl, stillThere, windowsOfSchedules } from "../cycle/index.ts";
import { nodesOfArrays } from "../engine/index.ts";
import { ConfigurationError } from "../errors/errors.ts";
import {
  type ChosenIdleTimeout,
  type ClusterConfig,
  type ClusterControl,
  type DemandSummary,
  type Operation,
  type PlanHead,
  type Ports,
  type RequestSet,
  unknownSource,
  type WaitingJob,
} from "../ports/index.ts";
import { duration } from "../text/durations.ts";
import { counted } from "../text/text.ts";
import { drainsOf } from "./drains.ts";
import { eachOnce } from "./events/of-losses.ts";
import { firstReasons } from "./explain/first-sentence.ts";
import { toTargetView, toWaitingView } from "./explain/reason-words.ts";
import { boughtSentences } from "./explain/size-words.ts";
import { failedNodesOf } from "./failed-nodes.ts";
import { nodesAsked } from "./list-operations.ts";
import { newestRejections } from "./list-rejects.ts";
import { ifPlannable, type Outlook } from "./outlook.ts";
import { isOvertaken } from "./overtaken.ts";
import { spendingStatus, utilisationOf } from "./spending-status.ts";
import { spotStatus } from "./spot-status.ts";
import { statusProblems } from "./status-problems.ts";

export type { ClusterStatus } from "../api/index.ts";

const recentPlans = 5;
const recentOperations = 20;
export const recentRejections = 10;
const recentLosses = 10;
/** As many as evictions of an hour are counted among. */
const mostLosses = 200;
const mostSizeSets = 3;

type StatusPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "demand"
  | "losses"
  | "notifications"
  | "operations"
  | "plans"
  | "rejections"
  | "snapshots"
  | "targets"
>;

/**
 * A cluster on one page, what is wrong first. Undefined for a cluster that is not configured.
 *
 * `lookAhead` is called only when something waits, because it plans: the reason shown is then the first sentence of
 * `explain`. Without it, or for what would not wait any more, the reasons are those of the newest plan.
 */
export async function clusterStatus(
  ports: StatusPorts,
  cluster: string,
  lookAhead?: () => Promise<Outlook | undefined>,
): Promise<ClusterStatus | undefined> {
  if (!(await ports.configs.clusters()).includes(cluster)) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const [config, control, snapshot, demand, requested, head, open, recent, plans, rejected, losses, told] =
    await Promise.all([
      usableConfig(ports, cluster),
      loadControl(ports, cluster),
      ports.snapshots.load(cluster),
      ports.demand.summaries(cluster),
      ports.targets.list(cluster),
      ports.plans.loadHead(cluster),
      ports.operations.open(cluster),
      ports.operations.recent(cluster, recentOperations),
      ports.plans.list(cluster, recentPlans),
      newestRejections(ports, cluster, recentRejections),
      ports.losses.recent(cluster, mostLosses),
      ports.notifications.load(cluster),
    ]);
  const ofArrays = snapshot === undefined ? [] : nodesOfArrays(snapshot.value.cluster);
  const waits = whoWaits(head?.value, await nowWaiting(head?.value, lookAhead), atSeconds);
  const since = {
    operations: recent,
    head: head?.value,
    nowSeconds: atSeconds,
    cluster: snapshot?.value.cluster,
  };
  const facts = {
    paused: control.paused,
    loginStopped: loginStopped(control),
    snapshot:
      snapshot === undefined
        ? null
        : { takenAtSeconds: snapshot.value.takenAtSeconds, setAside: snapshot.value.setAside },
    nodes: tally(ofArrays.map(({ status }) => status)),
    failedNodes: failedNodesOf(ofArrays),
    spending: spendingStatus(
      snapshot?.value,
      config instanceof ConfigurationError ? undefined : config?.engine,
    ),
    demand: demand
      .filter(({ source }) => source !== unknownSource)
      .map((source) => toSourceStatus(source, atSeconds)),
    doubts: doubtsOfSummaries(demand, atSeconds),
    unread: unreadOf(head?.value.unread),
    requestSets: [...requested, ...windowsOf(config, atSeconds)].map((set) =>
      toRequestSetStatus(set, { atSeconds, head: head?.value }),
    ),
    openOperations: open.length,
    operations: recent.map((operation) => ({
      ...toOperationStatus(operation),
      overtaken:
        (operation.state === "failed" || operation.state === "lost") && isOvertaken(operation, since),
    })),
    plans,
    nextDeadlineSeconds: head?.value.nextDeadlineSeconds ?? null,
    backedOff: head?.value.backedOff ?? [],
    refusedQuotas: head?.value.refusedQuotas ?? [],
    bootsFailing: head?.value.bootsFailing ?? [],
    idleTimeouts: (head?.value.idleTimeouts ?? []).map(toIdleTimeoutView),
    draining: drainsOf({
      head: head?.value,
      control,
      snapshot: snapshot?.value,
      out: head?.value.out ?? [],
    }),
    rolling: rollingOf(control),
    keptNodes: snapshot === undefined ? [] : stillThere(control.keptNodes, snapshot.value),
    ignoredNodes: snapshot === undefined ? [] : stillThere(control.ignoredNodes, snapshot.value),
    lostNodes: eachOnce(losses)
      .slice(0, recentLosses)
      .map((loss) => only(lostNode, loss)),
    ...waits,
    bought: boughtStatus(head?.value),
    spot: spotStatus({
      cluster: snapshot?.value.cluster,
      losses,
      nowSeconds: atSeconds,
      backedOff: head?.value.backedOff ?? [],
    }),
    utilisation: utilisationOf(snapshot?.value),
    rejections: rejected,
  };
  const problems = statusProblems({
    ...facts,
    atSeconds,
    config,
    deliveries: told?.value.deliveries ?? [],
    nodeArrays: (snapshot?.value.cluster.nodeArrays ?? []).map(({ name }) => name),
    stalled: head?.value.stalled ?? [],
    unhealthy: head?.value.unhealthy ?? [],
    replaced: head?.value.replaced ?? [],
    warnings: head?.value.warnings ?? [],
  });
  return { cluster, atSeconds, problems, ...facts };
}

/** The configuration, or every reason why it cannot be used: the rest of the page is worth showing all the same. */
function windowsOf(
  config: ClusterConfig | ConfigurationError | undefined,
  atSeconds: number,
): readonly RequestSet[] {
  return config === undefined || config instanceof ConfigurationError
    ? []
    : windowsOfSchedules(config, atSeconds);
}

async function usableConfig(
  ports: StatusPorts,
  cluster: string,
): Promise<ClusterConfig | ConfigurationError | undefined> {
  try {
    return await ports.configs.load(cluster);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

/** What would be planned now, if something waits. */
async function nowWaiting(
  head: PlanHead | undefined,
  lookAhead: (() => Promise<Outlook | undefined>) | undefined,
): Promise<Outlook | undefined> {
  const isShort = ({ asked, granted }: WaitingJob) => granted < asked;
  if (head === undefined || !(head.waiting.some(isShort) || head.targets.some(isShort))) return undefined;
  return ifPlannable(async () => lookAhead?.());
}

/** Jobs and targets that the newest plan left waiting, each with what it had and the reason. */
function whoWaits(
  head: PlanHead | undefined,
  outlook: Outlook | undefined,
  nowSeconds: number,
): Pick<ClusterStatus, "waiting" | "targets"> {
  if (head === undefined) return { waiting: [], targets: [] };
  const read = { backedOff: head.backedOff, nowSeconds };
  const now = outlook && firstReasons(outlook);
  return {
    waiting: head.waiting.map((job) => {
      const view = toWaitingView(job, read);
      return { ...view, why: withReason(view.why, now?.ofJob(job.name)) };
    }),
    targets: head.targets.map((target) => {
      const view = toTargetView(target, read);
      if (view.why.length === 0) return view;
      return { ...view, why: withReason(view.why, now?.ofTarget(target.name, target.requestSet)) };
    }),
  };
}

function withReason([first = "", ...rest]: readonly string[], reason: string | null | undefined): string[] {
  return [first, ...(reason == null ? rest : [reason])];
}

const mostInTurn = 100;

function rollingOf({ rolling }: ClusterControl): ClusterStatus["rolling"] {
  if (rolling === null) return null;
  const { left, inTurn, ...fields } = rolling;
  const names = inTurn.slice(0, mostInTurn).map(({ name }) => name);
  return { ...fields, leftCount: left.length, inTurn: names };
}

function loginStopped({ refusedLogin }: ClusterControl): ClusterStatus["loginStopped"] {
  if (refusedLogin === null) return null;
  const { atSeconds, message, resumedAtSeconds = null } = refusedLogin;
  return { atSeconds, message, resumedAtSeconds };
}

function toIdleTimeoutView(chosen: ChosenIdleTimeout): ClusterStatus["idleTimeouts"][number] {
  const { nodeArray, seconds, by, bootSeconds, knownGaps } = chosen;
  const boot = bootSeconds === null ? "" : `nodes boot in ${duration(bootSeconds)}`;
  const why = {
    "no-boots": "fewer than three boots are known",
    bound: `${boot}; ${counted(knownGaps, "idle times")} of the last week are too few to learn from`,
    learned: `${boot}; learned from ${counted(knownGaps, "idle times")} of the last week`,
  };
  return { nodeArray, seconds, why: why[by] };
}

/** Null: nothing is unread, or no idle node stays or goes in spite of it. */
function unreadOf(unread: PlanHead["unread"]): ClusterStatus["unread"] {
  if (unread === undefined || (unread.nodes === 0 && !unread.isOver)) return null;
  const { messages, sinceSeconds, nodes } = unread;
  return { messages, sinceSeconds, nodes };
}

function boughtStatus(head: PlanHead | undefined): ClusterStatus["bought"] {
  if (head?.bought == null) return null;
  const { planId, atSeconds, sizes } = head.bought;
  return { planId, atSeconds, sizes: sizes.slice(0, mostSizeSets).flatMap(boughtSentences) };
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function toSourceStatus(source: DemandSummary, atSeconds: number): SourceStatus {
  return {
    source: source.source,
    sequence: source.sequence,
    receivedAtSeconds: source.receivedAtSeconds,
    expiresAtSeconds: source.expiresAtSeconds,
    ignoredMessages: source.ignoredMessages,
    jobs: source.jobs,
    nodes: source.nodes,
    nodeShapes: source.nodeShapes ?? 0,
    capabilities: source.capabilities ?? [],
    notices: source.notices ?? [],
    expired: source.expiresAtSeconds <= atSeconds,
    setAside: { count: source.setAside?.items ?? 0, first: source.setAside?.first ?? [] },
    warned: source.warned ?? null,
    senders: turnsOf(source.senders, atSeconds),
  };
}

/** One that came back once may be a stand-by that took over and gave back. */
const fewestTurns = 2;

function turnsOf(senders: DemandSummary["senders"], atSeconds: number): SourceStatus["senders"] {
  if (senders?.turns === undefined) return null;
  const { count, sinceSeconds, untilSeconds } = senders.turns;
  if (count < fewestTurns || untilSeconds <= atSeconds) return null;
  return { names: senders.known.slice(0, 2).map(({ id }) => id), turns: count, sinceSeconds };
}

function toRequestSetStatus(
  set: RequestSet,
  { atSeconds, head }: { readonly atSeconds: number; readonly head: PlanHead | undefined },
): ClusterStatus["requestSets"][number] {
  const { requestSet, source, receivedAtSeconds, expiresAtSeconds, ignoredMessages, arrays } = set;
  const lasting = set.isLasting === true;
  const expired = expiresAtSeconds <= atSeconds;
  const times = { receivedAtSeconds, expiresAtSeconds, lasting, expired };
  const planned = head?.targetRequests[requestSet] === receivedAtSeconds;
  return { requestSet, source, ...times, planned, ignoredMessages, arrays: arrays.length };
}

function toOperationStatus(operation: Operation): Omit<OperationStatus, "overtaken"> {
  const { actionId, state, messages, updatedAtSeconds, action, attempts = 0 } = operation;
  return {
    actionId,
    state,
    messages,
    updatedAtSeconds,
    kind: action.kind,
    reason: action.reason,
    nodes: nodesAsked(action),
    requestedBy: action.requestedBy ?? null,
    attempts,
  };
}
