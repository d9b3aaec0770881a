import { expect } from "vitest";
import type { SnapshotStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { snapshotOf, startSeconds } from "./values.ts";

export const snapshotStoreCases: ContractCases<SnapshotStore> = {
  "a cluster without a snapshot has none": async (store) => {
    expect(await store.load(uniqueCluster())).toBeUndefined();
  },
  "a newer snapshot replaces the one before, and the ETag changes": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, snapshotOf(cluster, startSeconds));
    const first = await store.load(cluster);
    await store.save(cluster, snapshotOf(cluster, startSeconds + 60));
    const second = await store.load(cluster);
    expect(second?.value).toEqual(snapshotOf(cluster, startSeconds + 60));
    expect(second?.etag).not.toBe(first?.etag);
  },
  "a snapshot that was started earlier never replaces a newer one": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, snapshotOf(cluster, startSeconds + 0.5));
    await store.save(cluster, snapshotOf(cluster, startSeconds));
    expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 0.5);
  },
  "a snapshot of a clock that was ahead is replaced by one that is right": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, snapshotOf(cluster, startSeconds + 3_600));
    await store.save(cluster, snapshotOf(cluster, startSeconds), { latestSeconds: startSeconds + 3_600 });
    expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 3_600);
    await store.save(cluster, snapshotOf(cluster, startSeconds), { latestSeconds: startSeconds + 3_599 });
    expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds);
  },
  "of several saved at once the newest stays": async (store) => {
    const cluster = uniqueCluster();
    await Promise.all([3, 1, 2].map((n) => store.save(cluster, snapshotOf(cluster, startSeconds + n))));
    expect((await store.load(cluster))?.value.takenAtSeconds).toBe(startSeconds + 3);
  },
  "odd cluster names are kept apart": async (store) => {
    for (const name of oddNames) await store.save(name, snapshotOf(name));
    for (const name of oddNames) expect((await store.load(name))?.value.cluster.name).toBe(name);
  },
  "who changes what was saved or loaded changes nothing stored": async (store) => {
    const cluster = uniqueCluster();
    const snapshot = { ...snapshotOf(cluster), setAside: ["one"] };
    await store.save(cluster, snapshot);
    snapshot.setAside.push("two");
    // A store may refuse it: what it returns is frozen.
    Reflect.set((await store.load(cluster))?.value ?? {}, "setAside", ["three"]);
    expect((await store.load(cluster))?.value.setAside).toEqual(["one"]);
  },
};
