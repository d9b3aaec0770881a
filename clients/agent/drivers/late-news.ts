import { shortHostname } from "../../../shared/engine/index.ts";
import type { NodeEvent } from "./driver.ts";

/**
 * The nodes of an event without those whose end comes late: host names are used again, and another node has joined under this one
 * since. `joinedAs` gives CycleCloud's id of the node that joined as a host last, by the host's short name.
 */
export function withoutLateEnds(
  { kind, nodes }: NodeEvent,
  joinedAs: (short: string) => string | undefined,
): NodeEvent["nodes"] {
  if (kind !== "node-deleted" && kind !== "boot-timeout") return nodes;
  return nodes.filter(({ hostname, nodeId }) => {
    const there = joinedAs(shortHostname(hostname));
    return there === undefined || nodeId === undefined || there === nodeId;
  });
}
