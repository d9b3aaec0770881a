import { kindOf, messageOf, type UpstreamError } from "../../errors/errors.ts";
import type { ScaleAction } from "../../messages/index.ts";
import type {
  ClusterConfig,
  ClusterControl,
  Operation,
  OperationState,
  Ports,
  Stored,
} from "../../ports/index.ts";
import { loadControl, whyPaused } from "../control.ts";
import { whileLoggedIn } from "../login.ts";
import { measureAction } from "../measure.ts";
import { requestPlan } from "../request-plan.ts";
import { carryOut, dropped, droppedOrDone, type Fate } from "./carry-out.ts";
import { UnreadDemandError } from "./last-look.ts";
import { isWorthAnotherTry, tryLater } from "./try-later.ts";

type ExecutePorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "cycleCloudFor"
  | "demand"
  | "events"
  | "history"
  | "log"
  | "operations"
  | "planRequests"
  | "plans"
  | "random"
  | "samples"
  | "scaleActions"
  | "snapshots"
  | "telemetry"
  | "targets"
  | "unreadDemand"
>;

export type ExecuteOutcome =
  | { readonly outcome: OperationState; readonly messages: readonly string[] }
  | Undecided
  /** Nothing is known of the action, or it was carried out before. */
  | { readonly outcome: "already-done" };

type Undecided =
  /** CycleCloud was asked, and its effect is not known: the snapshots find out. */
  | { readonly outcome: "unclear"; readonly messages: readonly string[] }
  /** CycleCloud cannot answer now, or demand has to be read first: a copy of the action is delivered at that time. */
  | { readonly outcome: "waiting"; readonly messages: readonly string[]; readonly untilSeconds: number };

/**
 * Executes an action, exactly once in effect: an action that was executed before is not executed again, because the
 * operation records it, or, when a run died between the call and its record, because CycleCloud knows the request id.
 *
 * When CycleCloud cannot answer now, the action is tried again later, until it expires. Throws UpstreamError for an
 * answer that a retry would not change, and when a store or a queue fails: then the host delivers the action again.
 */
export async function executeAction(ports: ExecutePorts, action: ScaleAction): Promise<ExecuteOutcome> {
  const due = await loadDue(ports, action);
  if (due === undefined) return report(ports, action, { outcome: "already-done" });
  const change = changesOf(ports, due);
  const fate = await tried(ports, due.value, change);
  if ("outcome" in fate) return report(ports, action, fate);
  await change({
    isFit: (operation) =>
      isDue(operation) ||
      (fate.state === "accepted" && (isTakenForNothing(operation) || isFoundByList(operation))),
    next: (operation) => ({
      ...operation,
      ...fate,
      nodes: fate.nodes?.length ? fate.nodes : operation.nodes,
    }),
  });
  if (fate.shortfalls !== undefined)
    await requestPlan(ports, { cluster: action.cluster, reason: "fewer nodes than asked" });
  const outcome = fate.state === "sent" ? "unclear" : fate.state;
  return report(ports, action, { outcome, messages: fate.messages });
}

/** Another run of the same action finished while this one was running. */
class Overtaken extends Error {}

type AlreadyDone = Extract<ExecuteOutcome, { outcome: "already-done" }>;

async function tried(
  ports: ExecutePorts,
  { action, attempts, asked }: Operation,
  change: Change,
): Promise<Undecided | AlreadyDone | Fate> {
  try {
    return await decide(ports, action, { wasAsked: asked === true, change });
  } catch (error) {
    if (error instanceof Overtaken) return { outcome: "already-done" };
    if (error instanceof UnreadDemandError)
      return postpone(ports, { action, attempt: (attempts ?? 0) + 1, error, change });
    // A configuration that cannot be used will not be fixed while the message waits; the next plan asks for what is
    // needed then.
    if (kindOf(error) === "configuration") {
      const why = messageOf(error);
      return asked === true ? { outcome: "unclear", messages: [why] } : dropped(why);
    }
    if (!isWorthAnotherTry(error)) throw error;
    // The last query failed too. The operation stays open, and is looked up when its time is over.
    if (ports.clock.nowSeconds() > action.expiresAtSeconds)
      return { outcome: "unclear", messages: [error.message] };
    return postpone(ports, { action, attempt: (attempts ?? 0) + 1, error, change });
  }
}

async function postpone(
  ports: ExecutePorts,
  tried: {
    readonly action: ScaleAction;
    readonly attempt: number;
    readonly error: UpstreamError | UnreadDemandError;
    readonly change: Change;
  },
): Promise<Undecided> {
  const { action, attempt, error, change } = tried;
  const messages = [error.message];
  // Counted first: a copy under a number that was used before would be dropped by the broker.
  const next = (operation: Operation) => ({ ...operation, attempts: attempt, messages });
  await change({ isFit: isDue, next });
  const untilSeconds = await tryLater(ports, action, { attempt, error });
  return { outcome: "waiting", messages, untilSeconds };
}

async function loadDue(ports: ExecutePorts, action: ScaleAction): Promise<Stored<Operation> | undefined> {
  const operation = await ports.operations.load(action.cluster, action.actionId);
  return operation !== undefined && isDue(operation.value) ? operation : undefined;
}

function isDue({ state }: Operation): boolean {
  return state === "planned" || state === "sent";
}

/**
 * A run that lost its session may be refused while the next one is not: CycleCloud's agreement counts, whichever run
 * received it.
 */
function isTakenForNothing({ state }: Operation): boolean {
  return state === "failed" || state === "lost" || state === "dropped";
}

/** A snapshot that was taken meanwhile found the request in CycleCloud's list. The answer says more. */
function isFoundByList({ state, operationId }: Operation): boolean {
  return state === "accepted" && operationId === null;
}

/** False when the operation's state no longer allows the change. */
type Change = (to: {
  readonly isFit: (operation: Operation) => boolean;
  readonly next: (operation: Operation) => Operation;
}) => Promise<boolean>;

/**
 * The planner marks an action as sent while it is being executed: that must not overwrite the result. An operation that
 * somebody else saved since it was read here is read again.
 */
function changesOf({ operations, clock }: ExecutePorts, due: Stored<Operation>): Change {
  let known: Stored<Operation> | undefined = due;
  const change: Change = async ({ isFit, next }) => {
    if (known === undefined || !isFit(known.value)) return false;
    const { cluster, actionId } = known.value;
    const value = { ...next(known.value), updatedAtSeconds: clock.nowSeconds() };
    try {
      known = { value, etag: await operations.save(value, known.etag) };
      return true;
    } catch (error) {
      if (kindOf(error) !== "conflict") throw error;
      known = await operations.load(cluster, actionId);
      return change({ isFit, next });
    }
  };
  return change;
}

/** `wasAsked`: an earlier try may have had its effect. Otherwise an action can be dropped without a query. */
async function decide(
  ports: ExecutePorts,
  action: ScaleAction,
  { wasAsked, change }: { readonly wasAsked: boolean; readonly change: Change },
): Promise<Undecided | Fate> {
  const { cluster } = action;
  const config = await ports.configs.load(cluster);
  if (config === undefined) return dropped(`cluster "${cluster}" is no longer configured`);
  const cycleCloud = ports.cycleCloudFor(config);
  const control = await loadControl(ports, cluster);
  const run = await whileLoggedIn(ports, { control, cycleCloud }, async () => {
    const why = whyNot(ports, { action, config, control });
    if (why !== undefined) {
      const nowSeconds = ports.clock.nowSeconds();
      return wasAsked ? droppedOrDone(cycleCloud, action, { why, nowSeconds }) : dropped(why);
    }
    const ask = async <T>(call: () => Promise<T>): Promise<T> => {
      const next = (operation: Operation): Operation => ({ ...operation, state: "sent", asked: true });
      if (!(await change({ isFit: isDue, next }))) throw new Overtaken();
      return ports.telemetry.part(`cyclecloud ${action.kind}`, { cluster }, call);
    };
    return carryOut(ports, { cycleCloud, ask, wasAsked }, action);
  });
  if (run.outcome === "done") return run.value;
  return wasAsked ? { outcome: "unclear", messages: [run.why] } : dropped(run.why);
}

function whyNot(
  ports: ExecutePorts,
  present: { readonly action: ScaleAction; readonly config: ClusterConfig; readonly control: ClusterControl },
): string | undefined {
  const { cycle } = present.config;
  const { paused } = present.control;
  if (cycle.readOnly) return "the cluster has become read-only";
  if (paused !== null) return whyPaused(paused);
  return ports.clock.nowSeconds() > present.action.expiresAtSeconds
    ? "expired before its turn came"
    : undefined;
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
  if (["failed", "unclear", "waiting"].includes(outcome.outcome)) ports.log.warn("action", fields);
  else ports.log.info("action", fields);
  measureAction(ports, action, outcome.outcome);
  return outcome;
}
