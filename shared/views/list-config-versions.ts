import type { ConfigVersionsAnswer } from "../api/index.ts";
import type { ConfigVersion, Ports } from "../ports/index.ts";
import { redact } from "../text/redact.ts";
import { readDictionary } from "./show-config.ts";

const mostVersions = 100;

/** Who changed a configuration, when and why, newest first; with what was stored then when one version is asked for. */
export async function listConfigVersions(
  ports: Pick<Ports, "clock" | "configVersions">,
  cluster: string,
  query: { readonly limit: number; readonly version?: number | undefined },
  knownSecrets: readonly string[],
): Promise<ConfigVersionsAnswer> {
  const { limit, version } = query;
  const kept = await ports.configVersions.list(cluster, version === undefined ? limit : mostVersions);
  const chosen = version === undefined ? kept : kept.filter((each) => each.version === version);
  const configOf = ({ text }: ConfigVersion) =>
    (redact(
      readDictionary(text) ?? null,
      knownSecrets,
    ) as ConfigVersionsAnswer["versions"][number]["config"]) ?? null;
  return {
    cluster,
    atSeconds: ports.clock.nowSeconds(),
    versions: chosen.map((each) => ({
      version: each.version,
      changedAtSeconds: each.atSeconds,
      by: each.by,
      reason: each.reason,
      changes: [...each.changes],
      config: version === undefined ? null : configOf(each),
    })),
  };
}
