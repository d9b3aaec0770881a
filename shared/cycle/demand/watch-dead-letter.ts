import { isWritten, kindOf, messageOf, UpstreamError } from "../../errors/errors.ts";
import { parseJson } from "../../json/json.ts";
import { type ScaleAction, scaleActionSchema } from "../../messages/index.ts";
import type { Operation, Ports, RequestedNode } from "../../ports/index.ts";
import { loadControl } from "../control.ts";
import { whileLoggedIn } from "../login.ts";
import { requestPlan } from "../request-plan.ts";
import { type RawMessage, reject } from "./reject.ts";

/** A message that the broker dead-lettered. */
export interface DeadLetter extends RawMessage {
  /** The broker's reason, such as `MaxDeliveryCountExceeded` or `TTLExpiredException`. */
  readonly reason: string;
}

type WatchPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "cycleCloudFor"
  | "events"
  | "log"
  | "operations"
  | "planRequests"
  | "rejections"
>;

/** The state of a dead action's operation; `unknown`: the next snapshots decide. */
export type DeadActionOutcome = "no-action" | "closed-before" | "accepted" | "lost" | "unknown";

/** Records a dead-lettered plan request. No plan is asked for: it would most likely fail the same way. */
export async function watchDeadPlanRequest(ports: WatchPorts, letter: DeadLetter): Promise<void> {
  await record(ports, letter);
}

/**
 * Records a dead-lettered action, and closes its operation, so that plans no longer wait for its nodes. Throws only
 * when recording fails: a dead-letter queue delivers a failed message again at once, without end.
 */
export async function watchDeadAction(ports: WatchPorts, letter: DeadLetter): Promise<DeadActionOutcome> {
  await record(ports, letter);
  const action = actionOf(letter.body);
  if (action === undefined) return "no-action";
  try {
    return await close(ports, action, whyOf(letter));
  } catch (error) {
    // `resolveOperations` looks the operation up and closes it when its time is over.
    const { cluster, actionId } = action;
    ports.log.error("dead-letter", { cluster, actionId, kind: kindOf(error), message: messageOf(error) });
    return "unknown";
  }
}

async function record(ports: WatchPorts, letter: DeadLetter): Promise<void> {
  await reject(ports, letter, { kind: "dead-letter", problems: [`message: ${whyOf(letter)}`] });
}

function whyOf({ reason, attempts }: DeadLetter): string {
  const deliveries = attempts === undefined ? "" : ` after ${attempts} deliveries`;
  return `given up by the broker${deliveries}: ${reason}`;
}

/**
 * Its last attempt may have reached CycleCloud and died before it could record that: those nodes must not be bought
 * again.
 */
async function close(ports: WatchPorts, action: ScaleAction, why: string): Promise<DeadActionOutcome> {
  const before = await ports.operations.load(action.cluster, action.actionId);
  const isWaiting = before?.value.state === "planned" || before?.value.state === "sent";
  if (before === undefined || !isWaiting) return "closed-before";
  const made = await nodesMade(ports, action);
  const state = made === undefined ? "lost" : "accepted";
  const messages = [...before.value.messages, why];
  const updatedAtSeconds = ports.clock.nowSeconds();
  const next: Operation = { ...before.value, state, nodes: made ?? [], messages, updatedAtSeconds };
  if (!(await isWritten(() => ports.operations.save(next, before.etag)))) return close(ports, action, why);
  report(ports, next, why);
  if (state === "lost")
    await requestPlan(ports, { cluster: action.cluster, reason: `action lost: ${action.reason}` });
  return state;
}

/**
 * Undefined: CycleCloud does not know the request. Empty: it has only begun. Throws when CycleCloud cannot be asked, or
 * is not asked because it refused the login.
 */
async function nodesMade(
  ports: WatchPorts,
  action: ScaleAction,
): Promise<readonly RequestedNode[] | undefined> {
  const config = await ports.configs.load(action.cluster);
  if (config === undefined) return undefined;
  const cycleCloud = ports.cycleCloudFor(config);
  const control = await loadControl(ports, action.cluster);
  const asked = await whileLoggedIn(ports, { control, cycleCloud }, () =>
    cycleCloud.nodesOfRequest(action.requestId),
  );
  if (asked.outcome === "stopped") throw new UpstreamError(asked.why, { retryable: false });
  return asked.value;
}

function report(ports: WatchPorts, operation: Operation, reason: string): void {
  const { cluster, actionId, state } = operation;
  ports.log.error("operation", { cluster, actionId, kind: operation.action.kind, state, reason });
}

/** A body arrives as JSON or as its text. Describing the problems of one that is nested too deeply throws. */
function actionOf(body: unknown): ScaleAction | undefined {
  try {
    const parsed = scaleActionSchema.safeParse(typeof body === "string" ? parseJson(body) : body);
    return parsed.data;
  } catch {
    return undefined;
  }
}
