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
