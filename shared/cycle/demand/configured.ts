import { kindOf } from "../../errors/errors.ts";
import type { ClusterConfig, ConfigStore, Ports } from "../../ports/index.ts";

/** Used when the cluster's own setting cannot be read. */
const usualTtlSeconds = 300;

/** Configurations as they are when they are first asked for: one message is read under one configuration. */
export function readOnce(configs: ConfigStore): ConfigStore {
  const loaded = new Map<string, Promise<ClusterConfig | undefined>>();
  return {
    clusters: () => configs.clusters(),
    load: (cluster) => {
      const load = loaded.get(cluster) ?? configs.load(cluster);
      loaded.set(cluster, load);
      return load;
    },
  };
}

/** What a cluster's configuration says; `unreadable` where it cannot be read: a mistake elsewhere in the file must not lose demand. */
export async function configuredOr<T>(
  { configs }: Pick<Ports, "configs">,
  cluster: string,
  { read, unreadable }: { readonly read: (config: ClusterConfig | undefined) => T; readonly unreadable: T },
): Promise<T> {
  let config: ClusterConfig | undefined;
  try {
    config = await configs.load(cluster);
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    return unreadable;
  }
  return read(config);
}

/** How long a message counts that has no time to live of its own. Undefined for an unknown cluster. */
export function configuredTtlSeconds(
  ports: Pick<Ports, "configs">,
  cluster: string,
): Promise<number | undefined> {
  return configuredOr(ports, cluster, {
    read: (config) => config?.cycle.demandTtlSeconds,
    unreadable: usualTtlSeconds,
  });
}

/** Whether to record since when jobs wait and where they were interrupted, which plans with spot arrays need. */
export function keepsPastOf(ports: Pick<Ports, "configs">, cluster: string): Promise<boolean> {
  // Keep the recorded past until the file is valid again.
  return configuredOr(ports, cluster, {
    read: (config) => config?.cycle.spot !== undefined,
    unreadable: true,
  });
}

/** Whether a cluster is configured, even when its file is not valid. */
export function isConfigured(ports: Pick<Ports, "configs">, cluster: string): Promise<boolean> {
  return configuredOr(ports, cluster, { read: (config) => config !== undefined, unreadable: true });
}

/** The problem text for a cluster name that is not configured. */
export async function unknownCluster({ configs }: Pick<Ports, "configs">, cluster: string): Promise<string> {
  const clusters = await configs.clusters();
  const wanted =
    clusters.length === 0 ? "but no cluster is configured" : `expected one of ${clusters.join(", ")}`;
  return `cluster: "${cluster}", ${wanted}`;
}
