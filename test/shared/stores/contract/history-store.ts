import { expect } from "vitest";
import type { HistoryStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { rowOf } from "./values.ts";

export const historyStoreCases: ContractCases<HistoryStore> = {
  "a cluster without history has no rows": async (store) => {
    expect(await store.list(uniqueCluster())).toEqual([]);
  },
  "a row is replaced by a later one, also within one save; null stays null": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, [rowOf("a"), rowOf("b"), rowOf("a", { readySeconds: 1.5 })]);
    await store.save(cluster, [rowOf("b", { deletedSeconds: 9 })]);
    expect(await store.list(cluster)).toEqual([
      rowOf("a", { readySeconds: 1.5 }),
      rowOf("b", { deletedSeconds: 9 }),
    ]);
  },
  "saving or removing nothing does nothing": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, []);
    await store.remove(cluster, []);
    expect(await store.list(cluster)).toEqual([]);
  },
  "removed rows are gone, those that never were do no harm": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, [rowOf("a"), rowOf("b"), rowOf("c")]);
    await store.remove(cluster, ["a", "never", "c", "c"]);
    expect(await store.list(cluster)).toEqual([rowOf("b")]);
    await store.remove(cluster, ["b"]);
    expect(await store.list(cluster)).toEqual([]);
  },
  "since a reading, what was written later is told, perhaps with some that was told before": async (
    store,
  ) => {
    const cluster = uniqueCluster();
    expect(await store.since(cluster, undefined)).toEqual({ rows: [], mark: undefined });
    await store.save(cluster, [rowOf("b"), rowOf("a")]);
    const first = await store.since(cluster, undefined);
    expect(first.rows).toEqual([rowOf("a"), rowOf("b")]);
    await store.save(cluster, [rowOf("c"), rowOf("a", { readySeconds: 1.5 })]);
    await store.save(`${cluster}0`, [rowOf("elsewhere")]);
    const second = await store.since(cluster, first.mark);
    expect(second.rows).toEqual(expect.arrayContaining([rowOf("a", { readySeconds: 1.5 }), rowOf("c")]));
    expect(second.rows.filter(({ nodeId }) => !["a", "b", "c"].includes(nodeId))).toEqual([]);
    await store.remove(cluster, ["a"]);
    const third = await store.since(cluster, second.mark);
    expect(third.rows.map(({ nodeId }) => nodeId)).not.toContain("a");
    await store.save(cluster, [rowOf("b", { deletedSeconds: 9 })]);
    const fourth = await store.since(cluster, third.mark);
    expect(fourth.rows).toContainEqual(rowOf("b", { deletedSeconds: 9 }));
  },
  "the reading that was kept last is given again, whatever has come since": async (store) => {
    const cluster = uniqueCluster("'/🚀");
    expect(await store.kept(cluster)).toBeUndefined();
    await store.save(cluster, [rowOf("a")]);
    const first = { ...(await store.since(cluster, undefined)), allAtSeconds: 1.5 };
    await store.keep(cluster, first);
    expect(await store.kept(cluster)).toEqual(first);
    await store.save(cluster, [rowOf("b")]);
    await store.remove(cluster, ["a"]);
    expect(await store.kept(cluster)).toEqual(first);
    const second = { ...(await store.since(cluster, undefined)), allAtSeconds: 2 };
    await store.keep(cluster, second);
    expect(await store.kept(cluster)).toEqual(second);
    expect(await store.kept(`${cluster}0`)).toBeUndefined();
  },
  "clusters do not see each other's rows": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, [rowOf("a")]);
    expect(await store.list(`${cluster}0`)).toEqual([]);
  },
  "odd cluster names and node ids are kept apart": async (store) => {
    const cluster = uniqueCluster("'/🚀");
    const rows = oddNames.map((name) => rowOf(name));
    await store.save(cluster, rows);
    expect((await store.list(cluster)).map((row) => row.nodeId)).toEqual([...oddNames].sort());
    await store.remove(cluster, oddNames);
    expect(await store.list(cluster)).toEqual([]);
  },
  "5,000 rows are written, read in full and removed": async (store) => {
    const cluster = uniqueCluster();
    const rows = Array.from({ length: 5_000 }, (_, index) => rowOf(String(index).padStart(5, "0")));
    await store.save(cluster, rows);
    expect(await store.list(cluster)).toEqual(rows);
    const first = rows.slice(0, 150).map((row) => row.nodeId);
    await store.remove(cluster, first);
    expect(await store.list(cluster)).toHaveLength(4_850);
  },
  "more rows, and larger ones, than a transaction takes are saved, and removed": async (store) => {
    const cluster = uniqueCluster();
    const rows = Array.from({ length: 130 }, (_, index) =>
      rowOf(`id-${String(index).padStart(3, "0")}`, { name: `${index}-${"集".repeat(20_000)}` }),
    );
    await store.save(cluster, rows);
    expect(await store.list(cluster)).toEqual(rows);
    const ids = rows.map(({ nodeId }) => nodeId);
    await store.remove(cluster, ids);
    expect(await store.list(cluster)).toEqual([]);
  },
};
