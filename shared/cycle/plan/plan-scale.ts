import { expiredRows, type NodeHistory } from "../../engine/index.ts";
import { kindOf } from "../../errors.ts";
import type { PlanRequest } from "../../messages/plan-request.ts";
import type { SchedulerEvent } from "../../messages/scheduler-event.ts";
import type {
  ClusterConfig,
  IfMatch,
  NodeLoss,
  Operation,
  PlanHead,
  PlanSummary,
  Ports,
  Stored,
} from "../../ports/index.ts";
import { loadControl, whyHeld, withIgnored, withKept } from "../control.ts";
import { freshSnapshot } from "../fresh-snapshot.ts";
import { measurePlan } from "../measure.ts";
import { mostOfLastMinutes } from "../operations.ts";
import { tellSchedulers } from "../tell-schedulers.ts";
import { archivePlan, noteUnarchived } from "./archive-plan.ts";
import { makePlan } from "./make-plan.ts";
import { recordActions, sendRecorded, withdraw } from "./outbox.ts";
import { summarize, toHead } from "./plan-head.ts";
import { type Loaded, liveSources } from "./plan-input.ts";
import { reportPlan } from "./report-plan.ts";
import { toActions } from "./to-actions.ts";

type PlanPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "demand"
  | "history"
  | "ids"
  | "losses"
  | "log"
  | "operations"
  | "plans"
  | "scaleActions"
  | "schedulerEvents"
  | "snapshots"
  | "telemetry"
  | "targets"
>;

/** How far the clocks of two instances may be apart. */
const longestClockSkewSeconds = 5;

/** What a plan run decided, or why there is none. */
export type PlanOutcome =
  | { readonly outcome: "planned"; readonly summary: PlanSummary }
  /** A plan that began well after this one was asked for has seen all there was to see then. */
  | { readonly outcome: "superseded" }
  | { readonly outcome: "unknown-cluster" };

/**
 * Makes a plan of one cluster and sends its actions.
 *
 * The order of the steps is what keeps a crash between any two of them harmless:
 * 1. Open operations are read *before* the snapshot: one that a newer snapshot closes in between is then counted in
 *    both, which buys too little for a moment; the other way round it would be in neither, and be bought twice.
 * 2. Actions are recorded as `planned` operations before anything else is written.
 * 3. The head of the plans is replaced under its ETag after that and before anything is sent: of two planners, one goes
 *    on, and the other takes back what it recorded; should it die first, the next run does. A planner that reads the new
 *    head also reads the recorded actions, and sends what that head's run did not (the broker drops what it has seen): an
 *    action is neither lost nor doubled. The same head says which nodes are to be drained or taken back, and what of that
 *    schedulers have not answered is sent to them again.
 *
 * 4. The plan is archived last, and a failure of that fails nothing: were it a condition of sending, a store without room
 *    or a plan too large for it would stop the cluster. A plan whose run dies between the head and the archive is sent by
 *    the next run, which also notes in the index that it was not archived.
 *
 * Throws StaleSnapshotError without a fresh snapshot, ConflictError when another planner was faster.
 */
export async function planScale(ports: PlanPorts, request: PlanRequest): Promise<PlanOutcome> {
  const { cluster } = request;
  const config = await ports.configs.load(cluster);
  if (config === undefined) return { outcome: "unknown-cluster" };
  const control = await loadControl(ports, cluster);
  const held = whyHeld(config, control);
  const head = await ports.plans.loadHead(cluster);
  // Before anything is read: whatever comes later has not been planned.
  const demandReadAtSeconds = ports.clock.nowSeconds();
  const { own: operations, stray } = await openOperations(ports, cluster, head?.value);
  if (isSuperseded(request, head?.value, operations)) return { outcome: "superseded" };
  const reported = await freshSnapshot(ports, cluster, config.cycle.maxSnapshotAgeSeconds);
  const snapshot = withKept(reported, control);
  const loaded: Loaded = {
    settings: withIgnored(config.engine, control),
    drainedNodes: control.drainedNodes ?? [],
    snapshot,
    demand: await ports.demand.list(cluster),
    targets: await ports.targets.list(cluster),
    operations: operations.map((operation) => operation.value),
    history: await ports.history.list(cluster),
  };
  const nowSeconds = ports.clock.nowSeconds();
  const planId = ports.ids.planId(nowSeconds);
  const recent = await recentOperations(ports, config, nowSeconds);
  const before = head?.value;
  const isSent = held === undefined;
  const losses = await recentLosses(ports, config, nowSeconds);
  const made = makePlan({ config, loaded, snapshot, recent, losses, before, isSent, nowSeconds });
  const { input, plan, decided } = made;
  const actions = toActions(decided, {
    cluster,
    planId,
    nowSeconds,
    expiresAtSeconds: nowSeconds + config.cycle.actionTtlSeconds,
    askedAtSeconds: request.atSeconds,
    traceparent: ports.telemetry.traceparent,
    requestIdOf: ports.ids.requestId,
  });
  const summary = summarize(decided, {
    ...request,
    planId,
    nowSeconds,
    readOnly: config.cycle.readOnly,
    held,
  });

  const rows = merged(loaded.history, plan.history);
  const recorded = isSent ? await recordActions(ports, actions, nowSeconds) : [];
  const unsent = operations.filter((operation) => operation.value.state === "planned");
  const unsentPlanIds = [...new Set(unsent.flatMap(({ value }) => value.action.planId ?? []))];
  const read = { loaded, snapshot, demandReadAtSeconds };
  const next = toHead(ports.ids, { ...made, ...read, summary, rows, unsentPlanIds });
  await replaceHead(ports, { next, ifMatch: head?.etag, recorded });
  // Only now: until this run has won, one of those planners may still become the head.
  await withdraw(ports, stray, { message: "its plan did not become the newest one", nowSeconds });
  if (isSent) {
    const due = [...unsent, ...recorded];
    await tellSchedulers(ports, [...made.drainEvents, ...bootTimeouts(due, loaded, nowSeconds)]);
    await sendRecorded(ports, due, nowSeconds);
  }
  await remember(ports, cluster, plan.history, rows);
  reportPlan(ports, { ...made, summary, before });
  const known = { startedAtSeconds: demandReadAtSeconds, before: loaded.history };
  measurePlan(ports, { cluster, plan, ...known });
  await noteUnarchived(ports, before);
  await archivePlan(ports, { summary, input, plan, actions, head: next });
  return { outcome: "planned", summary };
}

/**
 * Where plans take longer than requests take to come, all but the newest request would only make the queue longer. Not
 * while the newest plan has actions that were not sent: this may be the second try of the run that made it.
 */
function isSuperseded(
  request: PlanRequest,
  head: PlanHead | undefined,
  operations: readonly Stored<Operation>[],
): boolean {
  if (head === undefined || operations.some(({ value }) => value.state === "planned")) return false;
  return head.demandReadAtSeconds > request.atSeconds + longestClockSkewSeconds;
}

/**
 * The open operations. `stray` are those that a planner recorded and never got the head for: it lost the race, and perhaps
 * died before it could take them back. They were never meant to be sent. What was requested is of no plan, and is meant
 * from the moment on at which it was recorded.
 */
async function openOperations(
  ports: PlanPorts,
  cluster: string,
  head: PlanHead | undefined,
): Promise<{ readonly own: readonly Stored<Operation>[]; readonly stray: readonly Stored<Operation>[] }> {
  const heads = new Set([head?.planId, ...(head?.unsentPlanIds ?? [])]);
  const isStray = ({ value: { state, action } }: Stored<Operation>) =>
    state === "planned" && action.planId !== null && !heads.has(action.planId);
  const operations = await ports.operations.open(cluster);
  return { own: operations.filter((each) => !isStray(each)), stray: operations.filter(isStray) };
}

/** As far back as what creates were short of counts: an action may be carried out as late as its time to live allows. */
async function recentOperations(
  ports: PlanPorts,
  { cluster, cycle }: ClusterConfig,
  nowSeconds: number,
): Promise<readonly Operation[]> {
  const sinceSeconds = nowSeconds - cycle.capacityFailureBackoffSeconds - cycle.actionTtlSeconds;
  return ports.operations.recent(cluster, mostOfLastMinutes, sinceSeconds);
}

async function recentLosses(
  ports: PlanPorts,
  { cluster, cycle }: ClusterConfig,
  nowSeconds: number,
): Promise<readonly NodeLoss[]> {
  return ports.losses.recent(cluster, mostOfLastMinutes, nowSeconds - cycle.capacityFailureBackoffSeconds);
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

/** Told before the actions count as sent: should this run die in between, the next one tells it again rather than never. */
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
  cluster: string,
  changed: readonly NodeHistory[],
  rows: readonly NodeHistory[],
): Promise<void> {
  if (changed.length > 0) await ports.history.save(cluster, changed);
  const forgotten = expiredRows(rows, ports.clock.nowSeconds());
  if (forgotten.length > 0) await ports.history.remove(cluster, forgotten);
}

function merged(before: readonly NodeHistory[], changed: readonly NodeHistory[]): NodeHistory[] {
  const rows = new Map(before.map((row) => [row.nodeId, row]));
  for (const row of changed) rows.set(row.nodeId, row);
  return [...rows.values()];
}
