import { expect } from "vitest";
import type { EventStore, NotedEvent } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function eventOf(eventId: string, changed: Partial<NotedEvent> = {}): NotedEvent {
  const node = { nodeId: "id-1", name: "htc-1", hostname: null };
  return {
    eventId,
    kind: "drain",
    by: "alice",
    source: null,
    node,
    reason: "disk",
    atSeconds: startSeconds,
    ...changed,
  };
}

const always = { fromSeconds: 0, untilSeconds: startSeconds + 1_000, limit: 1_000 };

export const eventStoreCases: ContractCases<EventStore> = {
  "a cluster of which nothing was noted has no events": async (store) => {
    const cluster = uniqueCluster();
    expect(await store.list(cluster, always)).toEqual([]);
    await store.note(cluster, []);
    expect(await store.list(cluster, always)).toEqual([]);
  },
  "an event is kept as it was noted; the same time and id overwrites itself, another time does not": async (
    store,
  ) => {
    const cluster = uniqueCluster();
    await store.note(cluster, [eventOf("a"), eventOf("b", { node: null, by: null, source: "pbs" })]);
    await store.note(cluster, [eventOf("a", { reason: "again" })]);
    await store.note(cluster, [eventOf("a", { atSeconds: startSeconds + 1 })]);
    expect(await store.list(cluster, always)).toEqual([
      eventOf("a", { atSeconds: startSeconds + 1 }),
      eventOf("a", { reason: "again" }),
      eventOf("b", { node: null, by: null, source: "pbs" }),
    ]);
  },
  "the newest come first, those of one time by their ids, within a period with both ends, no more than asked":
    async (store) => {
      const cluster = uniqueCluster();
      const events = [2, 0, 3, 1].map((at) => eventOf(`e-${at}`, { atSeconds: startSeconds + at }));
      await store.note(cluster, [...events, eventOf("e-x", { atSeconds: startSeconds + 2 })]);
      const idsOf = async (from: number, until: number, limit = 9) => {
        const period = { fromSeconds: startSeconds + from, untilSeconds: startSeconds + until, limit };
        return (await store.list(cluster, period)).map(({ eventId }) => eventId);
      };
      expect(await idsOf(0, 9)).toEqual(["e-3", "e-2", "e-x", "e-1", "e-0"]);
      expect(await idsOf(1, 2)).toEqual(["e-2", "e-x", "e-1"]);
      expect(await idsOf(1, 2, 1)).toEqual(["e-2"]);
      expect(await idsOf(4, 9)).toEqual([]);
    },
  "more events than a transaction takes, of odd names": async (store) => {
    const cluster = uniqueCluster(" ?/#'");
    const ids = [...oddNames, ...Array.from({ length: 250 }, (_, index) => `node-${index}`)];
    await store.note(
      cluster,
      ids.map((id) => eventOf(id)),
    );
    const found = await store.list(cluster, always);
    expect(found.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    expect(await store.list(uniqueCluster(), always)).toEqual([]);
  },
};
