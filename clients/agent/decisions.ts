import { memberOf, shortHostname } from "../../shared/engine/index.ts";
import type { SchedulerEvent } from "../../shared/messages/index.ts";
import type { NodeEvent, SchedulerNode } from "./drivers/driver.ts";
import type { AgentState, Decision } from "./state.ts";

/** Events of a node that is long gone may be lost with their queue; what was decided of it does not outlive that. */
const forgetAfterSeconds = 7 * 86_400;

export type Decisions = AgentState["decisions"];
type EventNode = SchedulerEvent["nodes"][number];

/**
 * The part of an event that is news to the scheduler. Events come late, twice and out of order: an older word about
 * a node is left out, and so are nodes that never had a host name.
 */
export function newsOf(event: SchedulerEvent, decisions: Decisions): NodeEvent {
  const nodes = event.nodes.flatMap((node) => {
    if (node.hostname === null || !isNews(event, node, decisionOf(decisions, node.hostname))) return [];
    const { nodeId, name, hostname, isRenamed, nodeArray, vmSize, placementGroup } = node;
    return [
      {
        name,
        hostname,
        ...(isRenamed === true ? { isRenamed } : {}),
        nodeId,
        ...(nodeArray === undefined ? {} : { nodeArray }),
        ...(vmSize === undefined ? {} : { vmSize }),
        ...(placementGroup === undefined ? {} : { placementGroup }),
      },
    ];
  });
  return { kind: event.kind, atSeconds: event.atSeconds, nodes };
}

/** The joins to make up for before an event: those of nodes that are wanted again, and could not join before they were to drain. */
export function joinsBefore(event: SchedulerEvent, decisions: Decisions): NodeEvent {
  const joins = event.nodes.flatMap((node) => {
    const before = node.hostname === null ? undefined : decisionOf(decisions, node.hostname);
    const isAgain = event.kind === "undrain" && before?.nodeId === node.nodeId && isNews(event, node, before);
    return isAgain ? (before.join ?? []) : [];
  });
  return newsOf({ ...event, kind: "node-joined", nodes: joins }, {});
}

/** The decisions after an event that was acted on. */
export function decide(decisions: Decisions, event: SchedulerEvent, nowSeconds: number): Decisions {
  const after = new Map(Object.entries(decisions));
  for (const node of event.nodes) {
    if (node.hostname === null) continue;
    const hostname = shortHostname(node.hostname);
    const before = after.get(hostname);
    // A host name may not resolve before the node is to drain. It joins when it is wanted again.
    if (event.kind === "node-joined" && before?.nodeId === node.nodeId) {
      if (before.kind === "drain") after.set(hostname, { ...before, join: node });
      continue;
    }
    if (!isNews(event, node, before)) continue;
    if (event.kind === "drain" || event.kind === "undrain") {
      const isSame = before?.kind === event.kind && before.nodeId === node.nodeId;
      const sinceSeconds = isSame ? before.sinceSeconds : nowSeconds;
      const { kind, atSeconds } = event;
      after.set(hostname, { ...(isSame && before), kind, nodeId: node.nodeId, atSeconds, sinceSeconds });
    } else {
      after.delete(hostname);
    }
  }
  return Object.fromEntries(
    [...after].filter(([, { sinceSeconds }]) => nowSeconds - sinceSeconds < forgetAfterSeconds),
  );
}

/** A host name is used again by other nodes: the end of one node is no news of its successor. */
function isNews(event: SchedulerEvent, node: EventNode, before: Decision | undefined): boolean {
  if (before === undefined) return true;
  switch (event.kind) {
    case "drain":
    case "undrain":
      return event.atSeconds > before.atSeconds;
    case "node-joined":
      return node.nodeId === before.nodeId ? before.kind === "undrain" : event.atSeconds >= before.atSeconds;
    case "node-deleted":
    case "boot-timeout":
      return node.nodeId === before.nodeId;
  }
}

function decisionOf(decisions: Decisions, hostname: string): Decision | undefined {
  return memberOf(decisions, shortHostname(hostname));
}

/** Hosts that are to drain, and since when. */
export function drainingHosts(decisions: Decisions): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(decisions).flatMap(([hostname, { kind, sinceSeconds }]) =>
      kind === "drain" ? [[hostname, sinceSeconds] as const] : [],
    ),
  );
}

/** Hosts that are to come back. */
export function undrainedHosts(decisions: Decisions): ReadonlySet<string> {
  return new Set(Object.keys(decisions).filter((hostname) => decisions[hostname]?.kind === "undrain"));
}

/**
 * A node as it is posted: with the time of the decision that its state obeys, if it obeys one. 0, the earliest, is that of one that was
 * lost: the service decides again.
 */
export function withDecision(
  { isOutByOthers, isOutByLostEvent, ...node }: SchedulerNode,
  decisions: Decisions,
): PostedNode {
  if (isOutByOthers) return node;
  const decision = decisionOf(decisions, node.hostname);
  if (decision !== undefined) return { ...node, eventAtSeconds: decision.atSeconds };
  return isOutByLostEvent ? { ...node, eventAtSeconds: 0 } : node;
}

export type PostedNode = Omit<SchedulerNode, "isOutByOthers" | "isOutByLostEvent"> & {
  readonly eventAtSeconds?: number;
};
