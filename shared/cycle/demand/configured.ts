import { kindOf } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";

/** When the cluster's own setting cannot be read: a mistake elsewhere in the file must not cost demand. */
const usualTtlSeconds = 300;

/** For how long a message counts that does not say. Undefined for an unknown cluster. */
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

/** Whether a cluster is configured, however badly: a mistake in its file must not cost demand. */
export async function isConfigured({ configs }: Pick<Ports, "configs">, cluster: string): Promise<boolean> {
  try {
    return (await configs.load(cluster)) !== undefined;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    return true;
  }
}

/** What is wrong with the name of a cluster that is not configured. */
export async function unknownCluster({ configs }: Pick<Ports, "configs">, cluster: string): Promise<string> {
  const known = await configs.clusters();
  const wanted = known.length === 0 ? "but no cluster is configured" : `expected one of ${known.join(", ")}`;
  return `cluster: "${cluster}", ${wanted}`;
}
