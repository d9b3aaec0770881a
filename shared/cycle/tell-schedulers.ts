import { concurrently } from "../collections/batches.ts";
import { kindOf, messageOf } from "../errors/errors.ts";
import type { SourceEvent } from "../messages/index.ts";
import type { Ports } from "../ports/index.ts";

/**
 * Sends events to their sources: in order to each source, to several sources at a time. A source whose queue refuses us
 * must not block the cycle. Returns what was not sent.
 */
export async function tellSchedulers<Event extends SourceEvent>(
  ports: Pick<Ports, "log" | "schedulerEvents">,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const bySource = Object.entries(Object.groupBy(events, (event) => event.source));
  const unsent: Event[] = [];
  await concurrently(bySource, async ([source, own = []]) => {
    unsent.push(...(await tell(ports, source, own)));
  });
  return unsent;
}

async function tell<Event extends SourceEvent>(
  ports: Pick<Ports, "log" | "schedulerEvents">,
  source: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  let sent = 0;
  try {
    for (const event of events) {
      await ports.schedulerEvents.send(event);
      sent += 1;
    }
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    const [first] = events;
    ports.log.warn("events-not-sent", { cluster: first?.cluster, source, message: messageOf(error) });
  }
  return events.slice(sent);
}
