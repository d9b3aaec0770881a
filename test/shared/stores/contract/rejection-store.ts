import { expect } from "vitest";
import type { RejectionStore } from "../../../../shared/ports.ts";
import { oddNames } from "./names.ts";
import { type ContractCase, uniqueCluster } from "./suite.ts";
import { rejectionOf, startSeconds } from "./values.ts";

async function idsOf(store: RejectionStore, cluster: string | undefined, limit = 100): Promise<string[]> {
  return (await store.list(cluster, limit)).map((rejection) => rejection.rejectionId);
}

export const rejectionStoreCases: readonly ContractCase<RejectionStore>[] = [
  {
    name: "rejections come back whole, newest first, no more than asked",
    async run(store) {
      const cluster = uniqueCluster();
      for (const index of [1, 3, 0, 2]) {
        const receivedAtSeconds = startSeconds + index;
        await store.add(rejectionOf(`m-${index}`, { cluster, receivedAtSeconds }));
      }
      expect(await idsOf(store, cluster, 3)).toEqual(["m-3", "m-2", "m-1"]);
      const newest = rejectionOf("m-3", { cluster, receivedAtSeconds: startSeconds + 3 });
      expect(await store.list(cluster, 1)).toEqual([newest]);
      expect(await store.list(cluster, 0)).toEqual([]);
    },
  },
  {
    name: "the same id again changes nothing, also when it was received again later",
    async run(store) {
      const cluster = uniqueCluster();
      const first = rejectionOf("m", { cluster });
      await store.add(first);
      await store.add({ ...first, problems: ["other"] });
      await store.add({ ...first, receivedAtSeconds: startSeconds + 60 });
      expect(await store.list(cluster, 10)).toEqual([first]);
    },
  },
  {
    name: "messages that name no cluster are listed without one, apart from a cluster of any name",
    async run(store) {
      for (const cluster of ["none", "unknown", "undefined", ""]) {
        await store.add(rejectionOf(`of-${cluster}`, { cluster }));
      }
      await store.add(rejectionOf("nobody's", { cluster: undefined, source: undefined }));
      expect(await idsOf(store, undefined)).toEqual(["nobody's"]);
      expect(await idsOf(store, "none")).toEqual(["of-none"]);
      expect(await idsOf(store, "")).toEqual(["of-"]);
    },
  },
  {
    name: "odd ids and cluster names are kept apart",
    async run(store) {
      const cluster = uniqueCluster("#");
      for (const name of oddNames) await store.add(rejectionOf(name, { cluster }));
      expect((await idsOf(store, cluster)).sort()).toEqual([...oddNames].sort());
    },
  },
];
