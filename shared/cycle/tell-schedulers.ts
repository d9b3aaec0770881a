import { concurrently } from "../collections/batches.ts";
import { kindOf, messageOf } from "../errors/errors.ts";
import type { SourceEvent } from "../messages/index.ts";
import type { Ports } from "../ports/index.ts";

/**
 * Sends events to their sources: in order to each source, to several sources at a time. A source whose queue refuses us
 * must not block the cycle.
 */
export async function tellSchedulers(
  ports: Pick<Ports, "log" | "schedulerEvents">,
  events: readonly SourceEvent[],
): Promise<void> {
  const bySource = Object.entries(Object.groupBy(events, (event) => event.source));
  await concurrently(bySource, ([source, own = []]) => tell(ports, source, own));
}

async function tell(
  ports: Pick<Ports, "log" | "schedulerEvents">,
  source: string,
  events: readonly SourceEvent[],
): Promise<void> {
  try {
    for (const event of events) await ports.schedulerEvents.send(event);
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    const [first] = events;
    ports.log.warn("events-not-sent", { cluster: first?.cluster, source, message: messageOf(error) });
  }
}
