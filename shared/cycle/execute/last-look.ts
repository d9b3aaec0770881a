import { shortHostname } from "../../engine/index.ts";
import type { NodesAction } from "../../messages/index.ts";
import type { Ports, RequestedNode } from "../../ports/index.ts";
import { loadControl } from "../control.ts";
import { busyHostnames } from "../demand/live-demand.ts";
import { newerThan, parkedMessages } from "../demand/parked-hosts.ts";
import { doubtsOf, restsOnDemand } from "../doubts.ts";
import { takesAway } from "../operations.ts";
import { lookForUnread, unreadInWords } from "../unread-demand.ts";

export type LookPorts = Pick<Ports, "clock" | "controls" | "demand" | "plans" | "unreadDemand">;

/** Nodes that an action is still right for, and a sentence for every other. */
export interface Rechecked {
  readonly due: readonly RequestedNode[];
  readonly stale: readonly string[];
}

/** Nothing was sent to CycleCloud: an unread message may name a node of the action as busy. */
export class UnreadDemandError extends Error {}

/** The call must follow the check within this time; otherwise the check is repeated. */
const longestLookSeconds = 10;

export const keptNow = "is keep-alive now";
export const busyNow = "runs a job now";

/** Whether an operator forces the action on nodes with jobs. */
export function isForced(action: NodesAction): boolean {
  const isOperators = action.kind !== "shutdown-nodes" || action.cause === "operator";
  return isOperators && "force" in action && action.force === true;
}

/** Whether a node is deleted because it is idle: any doubt about that keeps it. */
export function isForIdleness(action: NodesAction): boolean {
  return action.kind === "shutdown-nodes" && (action.cause === "autostop" || restsOnDemand(action.cause));
}

/** Whether nodes go that still boot: it is not about jobs on them, but about jobs that want them. */
export function isUnwanted(action: NodesAction): boolean {
  return action.kind === "shutdown-nodes" && action.cause === "unwanted";
}

/**
 * Throws UnreadDemandError while a message that nobody has read may name one of these hosts as busy. Demand that is read after
 * this has all that was posted before.
 */
export async function untilRead(
  ports: Pick<LookPorts, "clock" | "plans" | "unreadDemand">,
  action: NodesAction,
  hostnames: readonly string[],
): Promise<void> {
  // No message can name a node that has no host name yet; a job can want it.
  const isNamed = hostnames.length > 0 || isUnwanted(action);
  if (!takesAway(action) || isForced(action) || !isNamed) return;
  const { cluster } = action;
  const since = async () => (await ports.plans.loadHead(cluster))?.value.unread?.sinceSeconds;
  const unread = await lookForUnread(ports, { cluster, since, nowSeconds: ports.clock.nowSeconds() });
  if (unread !== undefined && !unread.isOver)
    throw new UnreadDemandError(`may take a node from a job: ${unreadInWords(unread.messages)}`);
}

/**
 * The last check, after the record that CycleCloud is about to be asked. An operator who keeps a node alive meanwhile either
 * comes before this check, or sees that the deletion was requested. A job that a message named before this check keeps its node,
 * whether or not the message had been read then, and also if it waits for its predecessor or for its other parts.
 */
export async function lastLook(
  ports: LookPorts,
  action: NodesAction,
  { due, hostnames }: Pick<Rechecked, "due"> & { readonly hostnames: ReadonlyMap<string, string> },
): Promise<Rechecked> {
  if (!takesAway(action)) return { due, stale: [] };
  const { keptNodes } = await loadControl(ports, action.cluster);
  const keptIds = new Set(keptNodes.map(({ nodeId }) => nodeId));
  const lookedAtSeconds = ports.clock.nowSeconds();
  const named = due.flatMap(({ nodeId }) => hostnames.get(nodeId) ?? []);
  await untilRead(ports, action, named);
  const waiting = await parkedMessages(ports, action.cluster);
  const demand = await ports.demand.list(action.cluster);
  const nowSeconds = ports.clock.nowSeconds();
  if (named.length > 0 && nowSeconds > lookedAtSeconds + longestLookSeconds)
    throw new UnreadDemandError(`the last look at the demand took longer than ${longestLookSeconds} s`);
  const parked = newerThan(waiting, demand);
  const busy = isForced(action)
    ? new Set<string>()
    : new Set([...busyHostnames(demand, nowSeconds), ...parked.flatMap(({ hostnames }) => hostnames)]);
  const doubt = isForIdleness(action) ? doubtsOf(demand, nowSeconds)[0] : undefined;
  const isParked = isUnwanted(action) && parked.length > 0;
  const why = ({ nodeId }: RequestedNode) => {
    const hostname = hostnames.get(nodeId);
    if (keptIds.has(nodeId)) return keptNow;
    if (hostname !== undefined && busy.has(shortHostname(hostname))) return busyNow;
    if (isParked) return "may be needed: a message with jobs is not complete yet";
    return doubt === undefined ? undefined : `may run a job: ${doubt.why}`;
  };
  return {
    due: due.filter((node) => why(node) === undefined),
    stale: due.flatMap((node) => {
      const reason = why(node);
      return reason === undefined ? [] : [`${node.name} ${reason}`];
    }),
  };
}
