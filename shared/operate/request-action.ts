import { loadControl, plannedOperation, sendRecorded, whyHeld } from "../cycle/index.ts";
import { answerOr, kindOf } from "../errors/errors.ts";
import type { RequestedBy, ScaleAction } from "../messages/index.ts";
import type { Operation, Ports, Stored } from "../ports/index.ts";

type RequestPorts = Pick<
  Ports,
  "clock" | "configs" | "controls" | "ids" | "log" | "operations" | "scaleActions"
>;

/** Attempts to record a request. Each lost attempt means that another request was recorded. */
const mostTries = 100;
const longestWord = 500;

type Envelope = Exclude<keyof ScaleAction, "kind">;
type DraftOf<A> = A extends ScaleAction ? Omit<A, Envelope> : never;

export type ActionDraft = DraftOf<ScaleAction>;

/** The decision, from everything recorded so far: what to request, or why nothing is requested. */
export type Decision<R> = { readonly ask: ActionDraft } | { readonly refused: R };

export interface ActionRequest<R> {
  readonly cluster: string;
  readonly requestedBy: RequestedBy;
  /**
   * Names the request: the same key again finds the operation of the first time and asks for nothing. Without a key every
   * request is a new one.
   */
  readonly key?: string;
  /** What the key was given for: kept with the operation. */
  readonly askedDigest?: string;
  /** Called again when another request was recorded meanwhile, so it must read its input itself. */
  readonly decide: () => Promise<Decision<R>>;
}

export type RequestOutcome<R> =
  /** Recorded: it will be sent, if not by this run then by the next plan. */
  | { readonly outcome: "requested"; readonly operation: Operation }
  /** A request with this key was recorded before. */
  | { readonly outcome: "known"; readonly operation: Operation }
  | { readonly outcome: "refused"; readonly why: R }
  /** The cluster is read-only or paused, or CycleCloud refuses the login. */
  | { readonly outcome: "held"; readonly why: string }
  | { readonly outcome: "busy" }
  | { readonly outcome: "unknown-cluster" };

/**
 * Asks for an action in somebody's name, in the same way in which the planner does: it is recorded as a `planned`
 * operation, sent to the executor, which looks again whether it is right, and closed by the snapshots; plans count on it
 * from the moment on at which it is recorded.
 *
 * A requested action is of no plan (`planId` null), so no plan takes it back as stray. A run that dies before it was
 * recorded has asked for nothing; one that dies before it was sent leaves it to the next plan, which the next snapshot
 * asks for, and the broker drops what was sent twice. Only one of several concurrent requests is recorded; the others
 * decide again.
 */
export async function requestAction<R = never>(
  ports: RequestPorts,
  request: ActionRequest<R>,
): Promise<RequestOutcome<R>> {
  const { cluster } = request;
  const config = await ports.configs.load(cluster);
  if (config === undefined) return { outcome: "unknown-cluster" };
  const held = whyHeld(config, await loadControl(ports, cluster));
  if (held !== undefined) return { outcome: "held", why: held };
  for (let tries = 0; tries < mostTries; tries += 1) {
    const outcome = await tryOnce(ports, request, config.cycle.actionTtlSeconds);
    if (outcome !== undefined) return outcome;
  }
  return { outcome: "busy" };
}

/** Undefined when another request was recorded first. */
async function tryOnce<R>(
  ports: RequestPorts,
  request: ActionRequest<R>,
  ttlSeconds: number,
): Promise<RequestOutcome<R> | undefined> {
  const { cluster, key, askedDigest } = request;
  const tag = await ports.operations.requestsTag(cluster);
  const nowSeconds = ports.clock.nowSeconds();
  const actionId =
    key === undefined ? `${ports.ids.planId(nowSeconds)}-request` : `request-${ports.ids.digest(key)}`;
  const requestedBefore = key === undefined ? undefined : await ports.operations.load(cluster, actionId);
  if (requestedBefore !== undefined) return { outcome: "known", operation: requestedBefore.value };
  const decision = await request.decide();
  if ("refused" in decision) return { outcome: "refused", why: decision.refused };
  const action = toAction(decision.ask, {
    cluster,
    requestedBy: request.requestedBy,
    actionId,
    requestId: ports.ids.requestId(actionId),
    createdAtSeconds: nowSeconds,
    expiresAtSeconds: nowSeconds + ttlSeconds,
  });
  const planned = plannedOperation(action, nowSeconds);
  const operation = askedDigest === undefined ? planned : { ...planned, askedDigest };
  const recorded = await record(ports, operation, tag);
  if (recorded === undefined) return undefined;
  await send(ports, recorded);
  return { outcome: "requested", operation: recorded.value };
}

/** After a lost answer the store's client retries and may find its own write: that is not a conflict. */
async function record(
  ports: RequestPorts,
  operation: Operation,
  tag: string | undefined,
): Promise<Stored<Operation> | undefined> {
  try {
    return { value: operation, etag: await ports.operations.saveRequested(operation, tag) };
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
    return ports.operations.load(operation.cluster, operation.actionId);
  }
}

function toAction(
  draft: ActionDraft,
  envelope: Pick<
    ScaleAction,
    "actionId" | "cluster" | "requestId" | "createdAtSeconds" | "expiresAtSeconds"
  > & { readonly requestedBy: RequestedBy },
): ScaleAction {
  const who = envelope.requestedBy.who.slice(0, longestWord);
  const why = envelope.requestedBy.why.slice(0, longestWord);
  return {
    ...draft,
    ...envelope,
    version: 1,
    planId: null,
    requestedBy: { who, why },
    reason: `${why} (asked for by ${who})`,
  };
}

/** A failure to send is only logged: the request is recorded, and the next plan sends it. */
async function send(ports: RequestPorts, recorded: Stored<Operation>): Promise<void> {
  const { cluster, actionId, action } = recorded.value;
  ports.log.info("requested", { cluster, actionId, kind: action.kind, reason: action.reason });
  await answerOr(
    () => sendRecorded(ports, [recorded], ports.clock.nowSeconds()),
    (message) => ports.log.warn("request-not-sent", { cluster, actionId, message }),
  );
}
