import { expect } from "vitest";
import type { RejectionStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { rejectionOf, startSeconds } from "./values.ts";

async function idsOf(store: RejectionStore, cluster: string | undefined, limit = 100): Promise<string[]> {
  return (await store.list(cluster, limit)).map((rejection) => rejection.rejectionId);
}

export const rejectionStoreCases: ContractCases<RejectionStore> = {
  "rejections come back whole, newest first, no more than asked": async (store) => {
    const cluster = uniqueCluster();
    for (const index of [1, 3, 0, 2]) {
      const receivedAtSeconds = startSeconds + index;
      await store.add(rejectionOf(`m-${index}`, { cluster, receivedAtSeconds }));
    }
    expect(await idsOf(store, cluster, 3)).toEqual(["m-3", "m-2", "m-1"]);
    const newest = rejectionOf("m-3", { cluster, receivedAtSeconds: startSeconds + 3 });
    expect(await store.list(cluster, 1)).toEqual([newest.rejection]);
    expect(await store.load(cluster, "m-3")).toEqual(newest);
    expect(await store.list(cluster, 0)).toEqual([]);
    const before = await store.list(cluster, 2, startSeconds + 2);
    expect(before.map(({ rejectionId }) => rejectionId)).toEqual(["m-2", "m-1"]);
  },
  "the same id again changes nothing, also when it was received again later": async (store) => {
    const cluster = uniqueCluster();
    const first = rejectionOf("m", { cluster });
    await store.add(first);
    await store.add(rejectionOf("m", { cluster, problems: ["other"] }));
    await store.add(rejectionOf("m", { cluster, receivedAtSeconds: startSeconds + 60 }));
    await store.add({ ...first, body: "other" });
    expect(await store.list(cluster, 10)).toEqual([first.rejection]);
    expect(await store.load(cluster, "m")).toEqual(first);
  },
  "messages that name no cluster are listed without one, apart from a cluster of any name": async (store) => {
    for (const cluster of ["none", "unknown", "undefined", ""]) {
      await store.add(rejectionOf(`of-${cluster}`, { cluster }));
    }
    await store.add(rejectionOf("nobody's", { cluster: undefined, source: undefined }));
    expect(await idsOf(store, undefined)).toEqual(["nobody's"]);
    expect((await store.load(undefined, "nobody's"))?.rejection.cluster).toBeUndefined();
    expect(await idsOf(store, "none")).toEqual(["of-none"]);
    expect(await idsOf(store, "")).toEqual(["of-"]);
  },
  "odd ids and cluster names are kept apart": async (store) => {
    const cluster = uniqueCluster("#");
    for (const name of oddNames) await store.add(rejectionOf(name, { cluster, source: name }));
    expect((await idsOf(store, cluster)).sort()).toEqual([...oddNames].sort());
  },
  "a message comes back as it was, up to 64 KiB of the worst characters": async (store) => {
    const cluster = uniqueCluster();
    const bodies = ["", "ünïcödé 🚀 \ud800 half a pair", "\u0000".repeat(65_536), '"\\'.repeat(32_768)];
    for (const [index, body] of bodies.entries()) {
      await store.add({ ...rejectionOf(`m-${index}`, { cluster }), body });
      expect((await store.load(cluster, `m-${index}`))?.body).toBe(body);
    }
  },
  "a message that was too long to keep has no body": async (store) => {
    const cluster = uniqueCluster();
    await store.add({ ...rejectionOf("m", { cluster, attempts: undefined }), body: undefined });
    const found = await store.load(cluster, "m");
    expect(found?.body).toBeUndefined();
    expect(found?.rejection.attempts).toBeUndefined();
  },
  "a rejection is found by its cluster and its id, and by nothing else": async (store) => {
    const cluster = uniqueCluster();
    await store.add(rejectionOf("m", { cluster }));
    expect(await store.load(cluster, "n")).toBeUndefined();
    expect(await store.load(undefined, "m")).toBeUndefined();
    expect(await store.load(uniqueCluster(), "m")).toBeUndefined();
  },
  "a replay is recorded, the last one counts, and the rest stays as it was": async (store) => {
    const cluster = uniqueCluster();
    const first = rejectionOf("m", { cluster });
    await store.add(first);
    await store.markReplayed(cluster, "m", startSeconds + 5);
    await store.markReplayed(cluster, "m", startSeconds + 9);
    const rejection = { ...first.rejection, replayedAtSeconds: startSeconds + 9 };
    expect(await store.load(cluster, "m")).toEqual({ ...first, rejection });
    expect(await store.list(cluster, 10)).toEqual([rejection]);
  },
  "a replay of what is not there is a conflict": async (store) => {
    const marked = store.markReplayed(uniqueCluster(), "gone", startSeconds);
    await expect(marked).rejects.toMatchObject({ kind: "conflict" });
  },
  "the largest message of a queue, all of it escaped, with long problems and words of a stranger": async (
    store,
  ) => {
    const cluster = uniqueCluster();
    const body = "\u0000".repeat(64 * 1024);
    const { rejection } = rejectionOf("m", {
      cluster,
      source: `${"é".repeat(255)}🚀`,
      excerpt: body.slice(0, 500),
      problems: Array.from({ length: 60 }, () => "\u0001".repeat(1_000)),
    });
    await store.add({ rejection, body });
    expect(await store.load(cluster, "m")).toEqual({ rejection, body });
    expect(await store.list(cluster, 1)).toEqual([rejection]);
  },
};
