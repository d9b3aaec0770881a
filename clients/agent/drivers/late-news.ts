import { shortHostname } from "../../../shared/engine/index.ts";
import type { Context, EventNode, NodeEvent } from "./driver.ts";

/** A node of CycleCloud's that joined a scheduler. */
export interface JoinedNode {
  /** Absent: the service is of an older release. */
  readonly nodeId?: string | undefined;
  readonly hostname: string;
}

/**
 * The nodes of an event without those whose end comes late: names are used again, and another node has joined under this one
 * since. `joinedLast` gives the node that joined last under the name by which the scheduler knows this one.
 */
export function withoutLateEnds(
  { kind, nodes }: NodeEvent,
  joinedLast: (node: EventNode) => JoinedNode | undefined,
): NodeEvent["nodes"] {
  if (kind !== "node-deleted" && kind !== "boot-timeout") return nodes;
  return nodes.filter((node) => {
    const there = joinedLast(node);
    if (there === undefined) return true;
    // Without ids the host has to say it.
    if (there.nodeId === undefined || node.nodeId === undefined)
      return shortHostname(there.hostname) === shortHostname(node.hostname);
    return there.nodeId === node.nodeId;
  });
}

/** Whether no event about its drain is known: one that an agent drained all the same, it drained before it lost its files. */
export function hasNoDecision(
  hostname: string,
  { draining, undrained }: Pick<Context, "draining" | "undrained">,
): boolean {
  const host = shortHostname(hostname);
  return !draining.has(host) && !undrained?.has(host);
}
