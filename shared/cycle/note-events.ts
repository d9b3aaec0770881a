import { answerOr } from "../errors/errors.ts";
import type { NotedEvent, Ports } from "../ports/index.ts";

const longestReason = 2_000;

type Node = NonNullable<NotedEvent["node"]>;

/** One event for each node, or one about none. */
export function eventsOf(
  about: Pick<NotedEvent, "kind" | "by" | "reason" | "atSeconds"> & { readonly source?: string },
  nodes: readonly (Omit<Node, "hostname"> & Partial<Pick<Node, "hostname">>)[] | null,
): readonly NotedEvent[] {
  const { kind, by, atSeconds, source = null } = about;
  const reason = about.reason.slice(0, longestReason);
  const event = { kind, by, atSeconds, source, reason };
  if (nodes === null) return [{ ...event, eventId: `${kind}:${by ?? ""}`, node: null }];
  return nodes.map(({ nodeId, name, hostname = null }) => ({
    ...event,
    eventId: `${kind}:${nodeId}`,
    node: { nodeId, name, hostname },
  }));
}

/** Keeps events for people. What they report is already done, so a failed write is only logged. */
export async function noteEvents(
  ports: Pick<Ports, "events" | "log">,
  cluster: string,
  events: readonly NotedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await answerOr(
    () => ports.events.note(cluster, events),
    (message) => ports.log.warn("events-not-noted", { cluster, count: events.length, message }),
  );
}
