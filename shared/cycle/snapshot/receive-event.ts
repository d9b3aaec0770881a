import { type CycleCloudEvent, parseCycleCloudEvent } from "../../messages/index.ts";
import type { NodeLoss, Ports } from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";
import { requestLook, requestPlan } from "../request-plan.ts";

type EventPorts = Pick<Ports, "clock" | "configs" | "log" | "losses" | "planRequests" | "snapshots">;

/** How far CycleCloud's clock and ours may be apart. */
const longestClockSkewSeconds = 5;
const longestShown = 100;

export type EventOutcome =
  /** A snapshot was asked for; a plan follows when anything changed. */
  | { readonly outcome: "look" }
  /** The newest snapshot shows it already; `plan`: the event has news that no snapshot shows. */
  | { readonly outcome: "seen"; readonly plan: boolean }
  | { readonly outcome: "ignored"; readonly why: string };

/**
 * Uses one CycleCloud event as a hint to take a snapshot now rather than at the next timer. Its claims about nodes are
 * not trusted: the snapshot reports, closes operations and asks for a plan, and the plan writes the history, which has
 * one writer. So duplicates, late, unordered and forged events cost one snapshot at most. Only the loss of a node to
 * Azure is recorded, because no snapshot shows it: its bucket is backed off.
 */
export async function receiveEvent(ports: EventPorts, body: unknown): Promise<EventOutcome> {
  const parsed = parseCycleCloudEvent(body);
  if (parsed.outcome === "unknown-kind")
    return ignored(ports, `kind "${cut(parsed.eventType)}" is not known`);
  if (parsed.outcome === "malformed") return ignored(ports, parsed.problems.join("; "));
  const { event } = parsed;
  if (isOurOwn(event)) return { outcome: "seen", plan: false };
  const { cluster } = event;
  if (!(await ports.configs.clusters()).includes(cluster))
    return ignored(ports, `cluster "${cut(cluster)}" is not configured`);
  // An event from a clock that is ahead would otherwise stay the newest until that time.
  const nowSeconds = ports.clock.nowSeconds();
  const atSeconds = Math.min(event.atSeconds, nowSeconds);
  const isNewLoss = await remember(ports, { ...event, atSeconds });
  const reason = reasonOf(event);
  const newest = (await ports.snapshots.load(cluster))?.value;
  const takenAtSeconds = newest?.takenAtSeconds ?? Number.NEGATIVE_INFINITY;
  const isShown =
    takenAtSeconds > atSeconds + longestClockSkewSeconds && !isAhead(takenAtSeconds, nowSeconds);
  if (!isShown) await requestLook(ports, { cluster, reason });
  else if (isNewLoss) await requestPlan(ports, { cluster, reason });
  ports.log.info("event", { cluster, kind: event.kind, reason: event.reason, isShown });
  return isShown ? { outcome: "seen", plan: isNewLoss } : { outcome: "look" };
}

/** The start of something we asked for ourselves: its operation is open, and nothing can be done before it ends. */
function isOurOwn({ kind, reason }: CycleCloudEvent): boolean {
  return (kind === "NodeAdded" || kind === "ClusterSizeIncreased") && reason === "Autoscaled";
}

async function remember(ports: EventPorts, event: CycleCloudEvent): Promise<boolean> {
  const { cluster, eventId, nodeId, nodeName, nodeArray, vmSize, atSeconds, message } = event;
  const reason = lossReasonOf(event);
  if (reason === undefined || nodeArray === null || vmSize === null) return false;
  const isNew = await ports.losses.add({
    cluster,
    eventId,
    reason,
    nodeId,
    nodeName,
    nodeArray,
    vmSize,
    atSeconds,
    ...(message === null ? {} : { message }),
  });
  if (isNew) ports.log.warn("node-lost", { cluster, reason, nodeName, nodeArray, vmSize });
  return isNew;
}

function lossReasonOf({ kind, reason }: CycleCloudEvent): NodeLoss["reason"] | undefined {
  if (kind !== "NodeTerminated" && kind !== "NodeDeallocated") return undefined;
  const reasons: readonly NodeLoss["reason"][] = ["SpotEvicted", "AllocationFailed", "VMDisappeared"];
  return reasons.find((each) => each === reason);
}

function reasonOf({ kind, reason, nodeName }: CycleCloudEvent): string {
  const words = [kind, nodeName, reason === null ? null : `(${reason})`];
  return `event: ${words.filter((word) => word !== null).join(" ")}`;
}

function ignored(ports: EventPorts, why: string): EventOutcome {
  ports.log.warn("event-ignored", { why });
  return { outcome: "ignored", why };
}

function cut(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
