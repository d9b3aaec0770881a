import { type Cluster, expiredRows, type NodeHistory } from "../../engine/index.ts";
import { ConflictError, kindOf } from "../../errors/errors.ts";
import type { PlanRequest, SchedulerEvent } from "../../messages/index.ts";
import type {
  ClusterControl,
  IfMatch,
  NotedEvent,
  Operation,
  PlanHead,
  PlanSummary,
  Ports,
  Stored,
} from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";
import { digestOf, whyHeld } from "../control.ts";
import { liveSources } from "../demand/live-demand.ts";
import { nextEndSeconds } from "../ended.ts";
import { measurePlan } from "../measure.ts";
import { eventsOf, noteEvents } from "../note-events.ts";
import { isPutOffAfter, putOffAfter, requestPlanAt } from "../request-plan.ts";
import { tellSchedulers } from "../tell-schedulers.ts";
import { archivePlan, noteUnarchived } from "./archive-plan.ts";
import { holdForUnread } from "./hold-unread.ts";
import { isPlanned } from "./is-planned.ts";
import { openWorld, readNews, readWorld, type WorldPorts } from "./load-world.ts";
import { type MadePlan, makePlan, type PlanFacts } from "./make-plan.ts";
import { recordActions, sendRecorded, withdraw } from "./outbox.ts";
import { summarize, toHead } from "./plan-head.ts";
import { noteHistory } from "./planned-history.ts";
import { reportPlan } from "./report-plan.ts";
import { claimQuotas, renewalSeconds, waitingCores } from "./shared-quotas.ts";
import { stallEvents } from "./stall-events.ts";
import { toActions } from "./to-actions.ts";
import type { Loaded } from "./to-plan-input.ts";

type PlanPorts = WorldPorts &
  Pick<
    Ports,
    | "events"
    | "ids"
    | "log"
    | "planRequests"
    | "scaleActions"
    | "schedulerEvents"
    | "telemetry"
    | "unreadDemand"
  >;

/** How far the clocks of two instances may differ. */
const longestClockSkewSeconds = 5;

/** The result of a plan run, or why there is none. */
export type PlanOutcome =
  | { readonly outcome: "planned"; readonly summary: PlanSummary }
  /** A plan that began well after this one was asked for has seen all there was to see then, or has seen all demand. */
  | { readonly outcome: "superseded" }
  /** It came too soon after the newest plan, and was sent again for later. */
  | { readonly outcome: "put-off" }
  | { readonly outcome: "unknown-cluster" };

/**
 * Makes a plan of one cluster and sends its actions.
 *
 * The order of the steps is what keeps a crash between any two of them harmless:
 * 1. Open operations are read *before* the snapshot (`load-world.ts` says why).
 * 2. What new nodes take of quotas that other clusters share is claimed first (`shared-quotas.ts` says why that is safe).
 *    Then actions are recorded as `planned` operations, before anything else is written.
 * 3. The head of the plans is replaced under its ETag after that and before anything is sent: of two planners, one goes
 *    on, and the other takes back what it recorded; should it die first, the next run does. A planner that reads the new
 *    head also reads the recorded actions, and sends what that head's run did not (the broker drops what it has seen): an
 *    action is neither lost nor doubled. The same head says which nodes are to be drained or taken back, and what of that
 *    schedulers have not answered is sent to them again.
 *
 * 4. The plan is archived last, and a failure of that fails nothing: were it a condition of sending, a store without room
 *    or a plan too large for it would stop the cluster. A plan whose run dies between the head and the archive is sent by
 *    the next run. The broker delivers the request of such a run again, and with it the index notes that the plan was
 *    not archived.
 *
 * Throws StaleSnapshotError without a fresh snapshot, ConflictError when another planner was faster.
 */
export async function planScale(ports: PlanPorts, request: PlanRequest): Promise<PlanOutcome> {
  const { cluster } = request;
  const opened = await openWorld(ports, cluster);
  if (opened === undefined) return { outcome: "unknown-cluster" };
  const { config, control, head, operations, stray } = opened;
  const isPutOff = isPutOffAfter(request, head?.value);
  if (head?.value.requestedAtSeconds === request.atSeconds) await noteUnarchived(ports, head.value);
  const seen = { head: head?.value, operations, nowSeconds: opened.readAtSeconds };
  if (!isPutOff && isSuperseded(request, seen)) return { outcome: "superseded" };
  const news = request.onlyDemand && !isPutOff ? await readNews(ports, opened) : undefined;
  if (news !== undefined && isPlanned(ports, request, { ...opened, ...news }))
    return { outcome: "superseded" };
  if (!isPutOff && (await putOffAfter(ports, request, head?.value))) return { outcome: "put-off" };
  const held = whyHeld(config, control);
  const isSent = held === undefined;
  const mostAgeSeconds = config.cycle.maxSnapshotAgeSeconds;
  const world = await readWorld(ports, opened, { mostAgeSeconds, news });
  const { snapshot, loaded, recent, losses, readAtSeconds: demandReadAtSeconds } = world;
  const nowSeconds = ports.clock.nowSeconds();
  const planId = ports.ids.planId(nowSeconds);
  const before = head?.value;
  const facts = { config, loaded, snapshot, recent, losses, before, isSent, nowSeconds };
  const { made: whole, renewSeconds } = await planWithinQuotas(ports, facts, planId);
  const planSeconds = Math.max(0, ports.clock.nowSeconds() - nowSeconds);
  const about = { cluster, before, isSent, nowSeconds };
  const { made, unread, asksForLook } = await holdForUnread(ports, whole, about);
  const { input, plan, decided } = made;
  const actions = toActions(decided, {
    cluster,
    planId,
    nowSeconds,
    expiresAtSeconds: nowSeconds + config.cycle.actionTtlSeconds,
    snapshotTakenAtSeconds: snapshot.takenAtSeconds,
    askedAtSeconds: request.atSeconds,
    traceparent: ports.telemetry.traceparent,
    requestIdOf: ports.ids.requestId,
  });
  const summary = summarize(decided, {
    ...request,
    planId,
    nowSeconds,
    planSeconds,
    readOnly: config.cycle.readOnly,
    held,
  });

  const rows = merged(loaded.history, plan.history);
  const recorded = isSent ? await recordActions(ports, actions, nowSeconds) : [];
  const unsent = operations.filter((operation) => operation.value.state === "planned");
  const unsentPlanIds = [...new Set(unsent.flatMap(({ value }) => value.action.planId ?? []))];
  const next = toHead(ports.ids, {
    made,
    summary,
    loaded,
    snapshot,
    rows,
    demandReadAtSeconds,
    unsentPlanIds,
    requestedAtSeconds: request.atSeconds,
    controlDigest: digestOf(ports, control),
    configDigest: digestOf(ports, config),
    decisionEndsSeconds: nextEndSeconds(control),
    renewSeconds,
    newestLossId: losses[0]?.eventId ?? null,
    unread,
    before,
  });
  await replaceHead(ports, { next, ifMatch: head?.etag, recorded });
  // Only now: until this run has won, one of those planners may still become the head.
  await withdraw(ports, stray, { message: "its plan did not become the newest one", nowSeconds });
  if (isSent) {
    const due = [...unsent, ...recorded];
    await tellSchedulers(ports, [...made.drainEvents, ...bootTimeouts(due, loaded, nowSeconds)]);
    await sendRecorded(ports, due, nowSeconds);
    await noteEvents(ports, cluster, drainsToNote(made.drainEvents, control));
  }
  await noteEvents(ports, cluster, [...stallEvents(made.stallNews, nowSeconds), ...made.unhealthy.events]);
  const lookAgainSeconds = unread?.lookAgainSeconds ?? null;
  if (asksForLook && lookAgainSeconds !== null)
    await requestPlanAt(ports, { cluster, reason: "unread demand", atSeconds: lookAgainSeconds });
  await remember(ports, snapshot.cluster, { planId, changed: plan.history, rows });
  reportPlan(ports, { ...made, summary, before });
  const planned = { startedAtSeconds: demandReadAtSeconds, before: loaded.history };
  measurePlan(ports, { cluster, plan, ...planned });
  await archivePlan(ports, { summary, input, plan, actions, head: next });
  return { outcome: "planned", summary };
}

/** Plans of one run: others that share a quota may order in between. */
const mostPlans = 5;

/** Makes a plan and claims what it takes of shared quotas; makes it again when others were faster and it no longer fits. */
async function planWithinQuotas(
  ports: PlanPorts,
  facts: PlanFacts,
  planId: string,
): Promise<{ readonly made: MadePlan; readonly renewSeconds: number | null }> {
  let { shared = [] } = facts.loaded;
  for (let plans = 0; plans < mostPlans; plans += 1) {
    const made = makePlan({ ...facts, loaded: { ...facts.loaded, shared } });
    const { input, decided: plan, refusedQuotas: refusals } = made;
    const { recent: operations } = facts;
    const waits = { ...facts, planId, plan, pending: input.pending, refusals, operations };
    const waiting = waitingCores(shared, { ...waits, input, made: made.plan });
    const claiming = { ...waits, waiting };
    const claimed = await claimQuotas(ports, shared, claiming);
    if (claimed === undefined) return { made, renewSeconds: renewalSeconds(shared, claiming) };
    shared = claimed;
  }
  throw new ConflictError(`what cluster "${facts.config.cluster}" takes of shared quotas`);
}

/**
 * When plans take longer than the interval between requests, all but the newest request only lengthen the queue. Not
 * while the newest plan has actions that were not sent: this may be the second try of the run that made it.
 */
function isSuperseded(
  request: PlanRequest,
  {
    head,
    operations,
    nowSeconds,
  }: {
    readonly head: PlanHead | undefined;
    readonly operations: readonly Stored<Operation>[];
    readonly nowSeconds: number;
  },
): boolean {
  if (head === undefined || isAhead(head.demandReadAtSeconds, nowSeconds)) return false;
  if (operations.some(({ value }) => value.state === "planned")) return false;
  return head.demandReadAtSeconds > request.atSeconds + longestClockSkewSeconds;
}

/** What an operator asked for was noted then. Repeats have the time of the decision, so they overwrite themselves. */
function drainsToNote(
  events: readonly SchedulerEvent[],
  { drainedNodes }: ClusterControl,
): readonly NotedEvent[] {
  const asked = new Set(drainedNodes.map(({ nodeId }) => nodeId));
  return events.flatMap(({ kind, nodes, atSeconds }) => {
    if (kind !== "drain" && kind !== "undrain") return [];
    const reason = kind === "drain" ? "idle, and about to go" : "wanted again";
    const own = nodes.filter(({ nodeId }) => !asked.has(nodeId));
    return eventsOf({ kind, by: "the autoscaler", reason, atSeconds }, own);
  });
}

async function replaceHead(
  ports: PlanPorts,
  head: {
    readonly next: PlanHead;
    readonly ifMatch: IfMatch;
    readonly recorded: readonly Stored<Operation>[];
  },
): Promise<void> {
  try {
    await ports.plans.saveHead(head.next, head.ifMatch);
  } catch (error) {
    const why = { message: "another planner was faster", nowSeconds: head.next.atSeconds };
    if (kindOf(error) === "conflict") await withdraw(ports, head.recorded, why);
    throw error;
  }
}

/**
 * Sent before the actions count as sent: if this run dies in between, the next one sends the events again instead of
 * never.
 */
function bootTimeouts(
  due: readonly Stored<Operation>[],
  { demand }: Loaded,
  nowSeconds: number,
): readonly SchedulerEvent[] {
  const givenUp = due.flatMap(({ value: { action } }) =>
    action.kind === "shutdown-nodes" && action.cause === "boot-timeout" ? [action] : [],
  );
  return liveSources(demand, nowSeconds).flatMap(({ source }) =>
    givenUp.map(({ cluster, nodes, createdAtSeconds }): SchedulerEvent => {
      const named = nodes.map(({ nodeId, name, hostname = null }) => ({ nodeId, name, hostname }));
      return { version: 1, cluster, source, kind: "boot-timeout", nodes: named, atSeconds: createdAtSeconds };
    }),
  );
}

async function remember(
  ports: PlanPorts,
  { name: cluster, nodes }: Cluster,
  made: {
    readonly planId: string;
    readonly changed: readonly NodeHistory[];
    readonly rows: readonly NodeHistory[];
  },
): Promise<void> {
  const { planId, changed, rows } = made;
  if (changed.length > 0) await ports.history.save(cluster, changed);
  const forgotten = new Set(expiredRows(rows, ports.clock.nowSeconds(), nodes));
  if (forgotten.size > 0) await ports.history.remove(cluster, [...forgotten]);
  const kept = rows.filter(({ nodeId }) => !forgotten.has(nodeId));
  noteHistory(ports.history, cluster, { planId, rows: kept });
}

function merged(before: readonly NodeHistory[], changed: readonly NodeHistory[]): NodeHistory[] {
  const rows = new Map(before.map((row) => [row.nodeId, row]));
  for (const row of changed) rows.set(row.nodeId, row);
  return [...rows.values()];
}
