import { ConflictError } from "../../errors/errors.ts";
import type {
  ConfigVersion,
  ConfigVersionStore,
  EventPeriod,
  EventStore,
  NotedEvent,
} from "../../ports/index.ts";
import { newestEventFirst } from "../order.ts";
import { mostConfigVersions, rowText } from "../store-limits.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Events of every cluster. */
export class MemoryEventStore implements EventStore {
  readonly #clusters = new Map<string, Records<NotedEvent>>();

  async note(cluster: string, events: readonly NotedEvent[]): Promise<void> {
    const own = this.#clusters.get(cluster) ?? new Records<NotedEvent>("event", { isRow: true });
    this.#clusters.set(cluster, own);
    for (const event of events) own.put(recordKey(String(event.atSeconds), event.eventId), event);
  }

  async list(
    cluster: string,
    { fromSeconds, untilSeconds, limit }: EventPeriod,
  ): Promise<readonly NotedEvent[]> {
    const all = this.#clusters.get(cluster)?.entries() ?? [];
    return all
      .map(({ stored }) => stored.value)
      .filter(({ atSeconds }) => atSeconds >= fromSeconds && atSeconds <= untilSeconds)
      .sort(newestEventFirst)
      .slice(0, limit);
  }
}

/** Versions of every configuration. */
export class MemoryConfigVersionStore implements ConfigVersionStore {
  readonly #clusters = new Map<string, readonly ConfigVersion[]>();

  async add(cluster: string, version: ConfigVersion): Promise<void> {
    const versions = this.#clusters.get(cluster) ?? [];
    rowText(String(version.version), version);
    if (versions.some((each) => each.version === version.version))
      throw new ConflictError(`version ${version.version} of configuration "${cluster}"`);
    const all = [structuredClone(version), ...versions].sort((a, b) => b.version - a.version);
    const oldest = version.version - mostConfigVersions;
    this.#clusters.set(
      cluster,
      all.filter((each) => each.version !== oldest),
    );
  }

  async list(cluster: string, limit: number): Promise<readonly ConfigVersion[]> {
    return structuredClone((this.#clusters.get(cluster) ?? []).slice(0, limit));
  }
}
