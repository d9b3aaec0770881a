import { expect } from "vitest";
import type { RequestSet, TargetStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { targetsOf } from "./values.ts";

export const targetStoreCases: ContractCases<TargetStore> = {
  ...recordCases<TargetStore, RequestSet>({
    what: "a set",
    of: (name, sequence) => targetsOf("of-sets", name, { sequence }),
    load: (store, name) => store.load("of-sets", name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "sets are listed by name, expired ones too, those of other clusters not": async (store) => {
    const cluster = uniqueCluster();
    expect(await store.list(cluster)).toEqual([]);
    for (const name of ["standard", "a", "mpi"])
      await store.save(targetsOf(cluster, name, { expiresAtSeconds: 1 }), undefined);
    await store.save(targetsOf(`${cluster}-2`, "other"), undefined);
    expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["a", "mpi", "standard"]);
  },
  "a set that was removed is gone, and removing it again does nothing": async (store) => {
    const cluster = uniqueCluster();
    for (const name of ["a", "b"]) await store.save(targetsOf(cluster, name), undefined);
    for (const _ of [1, 2]) await store.remove(cluster, "a");
    expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["b"]);
    await store.save(targetsOf(cluster, "a"), undefined);
    expect((await store.list(cluster)).map((set) => set.requestSet)).toEqual(["a", "b"]);
  },
  "odd cluster and set names are kept apart": async (store) => {
    const cluster = uniqueCluster("/?#");
    for (const name of oddNames) await store.save(targetsOf(cluster, name), undefined);
    const sets = (await store.list(cluster)).map((set) => set.requestSet);
    expect(sets).toEqual([...oddNames].sort());
    expect((await store.load(cluster, ".."))?.value.requestSet).toBe("..");
  },
};
