import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { TargetStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCase, outcomes, uniqueCluster } from "./suite.ts";
import { targetsOf } from "./values.ts";

export const targetStoreCases: readonly ContractCase<TargetStore>[] = [
  {
    name: "a set that nobody asked for is not there",
    async run(store) {
      const cluster = uniqueCluster();
      expect(await store.load(cluster, "standard")).toBeUndefined();
      expect(await store.list(cluster)).toEqual([]);
    },
  },
  {
    name: "what a set wants is there again, and the next request needs its ETag",
    async run(store) {
      const cluster = uniqueCluster();
      await store.save(targetsOf(cluster, "standard"), undefined);
      const first = await store.load(cluster, "standard");
      expect(first?.value).toEqual(targetsOf(cluster, "standard"));
      await store.save(targetsOf(cluster, "standard", { sequence: 2 }), first?.etag);
      expect((await store.load(cluster, "standard"))?.value.sequence).toBe(2);
      await expect(store.save(targetsOf(cluster, "standard"), first?.etag)).rejects.toThrow(ConflictError);
    },
  },
  {
    name: "of two that ask at once for the first time one gets a conflict",
    async run(store) {
      const cluster = uniqueCluster();
      const saves = [1, 2].map(() => store.save(targetsOf(cluster, "standard"), undefined));
      expect(await outcomes(saves)).toEqual({ kept: 1, errors: [expect.any(ConflictError)] });
    },
  },
  {
    name: "sets are listed by name, expired ones too, those of other clusters not",
    async run(store) {
      const cluster = uniqueCluster();
      for (const name of ["standard", "a", "mpi"])
        await store.save(targetsOf(cluster, name, { expiresAtSeconds: 1 }), undefined);
      await store.save(targetsOf(`${cluster}-2`, "other"), undefined);
      expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["a", "mpi", "standard"]);
    },
  },
  {
    name: "a set that was removed is gone, and removing it again does nothing",
    async run(store) {
      const cluster = uniqueCluster();
      for (const name of ["a", "b"]) await store.save(targetsOf(cluster, name), undefined);
      for (const _ of [1, 2]) await store.remove(cluster, "a");
      expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["b"]);
      await store.save(targetsOf(cluster, "a"), undefined);
      expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["a", "b"]);
    },
  },
  {
    name: "odd cluster and set names are kept apart",
    async run(store) {
      const cluster = uniqueCluster("/?#");
      for (const name of oddNames) await store.save(targetsOf(cluster, name), undefined);
      const sets = (await store.list(cluster)).map((set) => set.requestSet);
      expect(sets).toEqual([...oddNames].sort());
      expect((await store.load(cluster, ".."))?.value.requestSet).toBe("..");
    },
  },
];
