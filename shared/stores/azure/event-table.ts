import type { EventPeriod, EventStore, Log, NotedEvent } from "../../ports/index.ts";
import { newestEventFirst } from "../order.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Table } from "./table.ts";

/** Table `Events`, partition cluster, row `time:<reverse time>:<event id>`: an event that comes again overwrites itself. */
export class TableEventStore implements EventStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix: "time:", log: options.log });
  }

  async note(cluster: string, events: readonly NotedEvent[]): Promise<void> {
    const partition = escapeName(cluster);
    const rows = new Map(events.map((event) => [rowOf(event), event]));
    const changes = [...rows].map(
      ([row, event]): Change => ({ kind: "put", row, value: event, columns: { kind: event.kind } }),
    );
    await this.#table.submitAll(partition, changes, `events of cluster "${cluster}"`);
    const newestSeconds = Math.max(...events.map(({ atSeconds }) => atSeconds));
    if (events.length > 0) await this.#retention.enforce(partition, newestSeconds);
  }

  async list(
    cluster: string,
    { fromSeconds, untilSeconds, limit }: EventPeriod,
  ): Promise<readonly NotedEvent[]> {
    // Keys count down, so the newest of the period comes first.
    const range = {
      from: `time:${reverseTime(untilSeconds)}:`,
      to: `time:${reverseTime(fromSeconds)};`,
      limit,
    };
    return (await this.#table.values<NotedEvent>(escapeName(cluster), range)).sort(newestEventFirst);
  }
}

function rowOf({ atSeconds, eventId }: NotedEvent): string {
  return `time:${reverseTime(atSeconds)}:${escapeName(eventId)}`;
}
