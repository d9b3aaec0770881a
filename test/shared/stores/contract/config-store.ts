import { expect } from "vitest";
import { ConfigurationError } from "../../../../shared/errors/errors.ts";
import type { ConfigStore } from "../../../../shared/ports/index.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { configOf } from "./values.ts";

/** The store, and how an operator changes what is in it. A broken file has the problem "broken". */
export interface ConfigBench {
  readonly store: ConfigStore;
  put(cluster: string, url: string): Promise<void>;
  putBroken(cluster: string): Promise<void>;
  remove(cluster: string): Promise<void>;
}

export const configStoreCases: ContractCases<ConfigBench> = {
  "an unknown cluster has no configuration": async ({ store }) => {
    expect(await store.load(uniqueCluster())).toBeUndefined();
  },
  "clusters are listed by name, odd ones and broken files too": async ({ store, put, putBroken }) => {
    const names = [uniqueCluster("-z"), "my cluster", "集群 1", "a.b", "100%"];
    for (const name of names) await put(name, "https://a");
    const broken = uniqueCluster("-broken");
    await putBroken(broken);
    const listed = await store.clusters();
    expect(listed).toEqual([...listed].sort());
    expect(listed).toEqual(expect.arrayContaining([...names, broken]));
    for (const name of names) expect((await store.load(name))?.cluster).toBe(name);
  },
  "a change counts at the next load, and a removal too": async ({ store, put, remove }) => {
    const cluster = uniqueCluster();
    await put(cluster, "https://a");
    expect(await store.load(cluster)).toEqual(configOf(cluster, "https://a"));
    expect(await store.load(cluster)).toEqual(configOf(cluster, "https://a"));
    await put(cluster, "https://b");
    expect((await store.load(cluster))?.connection.url).toBe("https://b");
    await remove(cluster);
    expect(await store.load(cluster)).toBeUndefined();
  },
  "a broken file throws ConfigurationError with its problems, each time, until it is fixed": async ({
    store,
    put,
    putBroken,
  }) => {
    const cluster = uniqueCluster();
    await putBroken(cluster);
    for (const _ of [1, 2]) {
      const error = await store.load(cluster).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ problems: ["broken"] });
    }
    await put(cluster, "https://a");
    expect((await store.load(cluster))?.connection.url).toBe("https://a");
  },
  "a broken file leaves the one before in force, which says what is wrong with it, until it is removed":
    async ({ store, put, putBroken, remove }) => {
      const cluster = uniqueCluster();
      await put(cluster, "https://a");
      await store.load(cluster);
      await putBroken(cluster);
      for (const _ of [1, 2]) {
        const { inPlaceOf, ...config } = (await store.load(cluster)) ?? {};
        expect(config).toEqual(configOf(cluster, "https://a"));
        expect(inPlaceOf).toContain("broken");
      }
      await remove(cluster);
      expect(await store.load(cluster)).toBeUndefined();
      await putBroken(cluster);
      await expect(store.load(cluster)).rejects.toBeInstanceOf(ConfigurationError);
    },
};
