import { expect } from "vitest";
import type { SnapshotStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCase, uniqueCluster } from "./suite.ts";
import { snapshotOf, startSeconds } from "./values.ts";

export const snapshotStoreCases: readonly ContractCase<SnapshotStore>[] = [
  {
    name: "a cluster without a snapshot has none",
    async run(store) {
      expect(await store.load(uniqueCluster())).toBeUndefined();
    },
  },
  {
    name: "a newer snapshot replaces the one before, and the ETag changes",
    async run(store) {
      const cluster = uniqueCluster();
      await store.save(cluster, snapshotOf(cluster, startSeconds));
      const first = await store.load(cluster);
      await store.save(cluster, snapshotOf(cluster, startSeconds + 60));
      const second = await store.load(cluster);
      expect(second?.value).toEqual(snapshotOf(cluster, startSeconds + 60));
      expect(second?.etag).not.toBe(first?.etag);
    },
  },
  {
    name: "a snapshot that was started earlier never replaces a newer one",
    async run(store) {
      const cluster = uniqueCluster();
      await store.save(cluster, snapshotOf(cluster, startSeconds + 0.5));
      await store.save(cluster, snapshotOf(cluster, startSeconds));
      expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 0.5);
    },
  },
  {
    name: "a snapshot of a clock that was ahead is replaced by one that is right",
    async run(store) {
      const cluster = uniqueCluster();
      await store.save(cluster, snapshotOf(cluster, startSeconds + 3_600));
      await store.save(cluster, snapshotOf(cluster, startSeconds), { latestSeconds: startSeconds + 3_600 });
      expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 3_600);
      await store.save(cluster, snapshotOf(cluster, startSeconds), { latestSeconds: startSeconds + 3_599 });
      expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds);
    },
  },
  {
    name: "of several saved at once the newest stays",
    async run(store) {
      const cluster = uniqueCluster();
      await Promise.all([3, 1, 2].map((n) => store.save(cluster, snapshotOf(cluster, startSeconds + n))));
      expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 3);
    },
  },
  {
    name: "odd cluster names are kept apart",
    async run(store) {
      for (const name of oddNames) await store.save(name, snapshotOf(name));
      for (const name of oddNames) expect((await store.load(name))?.value.cluster.name).toBe(name);
    },
  },
  {
    name: "who changes what was saved or loaded changes nothing stored",
    async run(store) {
      const cluster = uniqueCluster();
      const snapshot = { ...snapshotOf(cluster), setAside: ["one"] };
      await store.save(cluster, snapshot);
      snapshot.setAside.push("two");
      // A store may refuse it: what it returns is frozen.
      Reflect.set((await store.load(cluster))?.value ?? {}, "setAside", ["three"]);
      expect((await store.load(cluster))?.value.setAside).toEqual(["one"]);
    },
  },
];
