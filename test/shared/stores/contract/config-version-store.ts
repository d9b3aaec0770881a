import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { ConfigVersion, ConfigVersionStore } from "../../../../shared/ports/index.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function versionOf(version: number, changed: Partial<ConfigVersion> = {}): ConfigVersion {
  return {
    version,
    atSeconds: startSeconds + version,
    by: "alice",
    reason: "shorter",
    changes: ["idle_timeout: 300 -> 60"],
    text: '{"idle_timeout": 60}\n',
    ...changed,
  };
}

export const configVersionStoreCases: ContractCases<ConfigVersionStore> = {
  "versions are kept as they were added, the newest first": async (store) => {
    const cluster = uniqueCluster(" ?/#'");
    expect(await store.list(cluster, 10)).toEqual([]);
    for (const version of [1, 2, 3]) await store.add(cluster, versionOf(version, { by: null }));
    expect(await store.list(cluster, 10)).toEqual([3, 2, 1].map((each) => versionOf(each, { by: null })));
    expect((await store.list(cluster, 2)).map(({ version }) => version)).toEqual([3, 2]);
    expect(await store.list(uniqueCluster(), 10)).toEqual([]);
  },
  "of two writers of one version, one gets a conflict": async (store) => {
    const cluster = uniqueCluster();
    await store.add(cluster, versionOf(1));
    await expect(store.add(cluster, versionOf(1, { by: "bob" }))).rejects.toBeInstanceOf(ConflictError);
    expect(await store.list(cluster, 10)).toEqual([versionOf(1)]);
  },
  "the newest hundred are kept": async (store) => {
    const cluster = uniqueCluster();
    for (let version = 1; version <= 103; version += 1) await store.add(cluster, versionOf(version));
    const kept = (await store.list(cluster, 1_000)).map(({ version }) => version);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, 103, 4]);
  },
  "a text of several table properties comes back whole": async (store) => {
    const cluster = uniqueCluster();
    const long = versionOf(1, { text: JSON.stringify({ note: "ä".repeat(100_000) }) });
    await store.add(cluster, long);
    expect(await store.list(cluster, 1)).toEqual([long]);
  },
};
