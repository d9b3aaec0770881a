import { kindOf } from "../../errors/errors.ts";
import type { Ports } from "../../ports/index.ts";

/** Used when the cluster's own setting cannot be read: a mistake elsewhere in the file must not lose demand. */
const usualTtlSeconds = 300;

/** How long a message counts that has no time to live of its own. Undefined for an unknown cluster. */
export async function configuredTtlSeconds(
  { configs }: Pick<Ports, "configs">,
  cluster: string,
): Promise<number | undefined> {
  try {
    return (await configs.load(cluster))?.cycle.demandTtlSeconds;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    return usualTtlSeconds;
  }
}

/** Whether to record since when jobs wait and where they were interrupted, which plans with spot arrays need. */
export async function keepsPastOf({ configs }: Pick<Ports, "configs">, cluster: string): Promise<boolean> {
  try {
    return (await configs.load(cluster))?.cycle.spot !== undefined;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    // Keep the recorded past until the file is valid again.
    return true;
  }
}

/** Whether a cluster is configured, even when its file is not valid: a mistake there must not lose demand. */
export async function isConfigured({ configs }: Pick<Ports, "configs">, cluster: string): Promise<boolean> {
  try {
    return (await configs.load(cluster)) !== undefined;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    return true;
  }
}

/** The problem text for a cluster name that is not configured. */
export async function unknownCluster({ configs }: Pick<Ports, "configs">, cluster: string): Promise<string> {
  const clusters = await configs.clusters();
  const wanted =
    clusters.length === 0 ? "but no cluster is configured" : `expected one of ${clusters.join(", ")}`;
  return `cluster: "${cluster}", ${wanted}`;
}
