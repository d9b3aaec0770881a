import type { ConfigAnswer } from "../api/index.ts";
import { isDictionary, jsonOr } from "../json/json.ts";
import type { ConfigFiles, Ports } from "../ports/index.ts";
import { redact, redactText } from "../text/redact.ts";

/** The stored configuration as it is written, usable or not, without secrets; undefined when there is none. */
export async function showConfig(
  ports: Pick<Ports, "clock"> & { readonly configFiles: ConfigFiles },
  cluster: string,
  knownSecrets: readonly string[],
): Promise<ConfigAnswer | undefined> {
  const file = await ports.configFiles.read(cluster);
  if (file === undefined) return undefined;
  const about = { cluster, atSeconds: ports.clock.nowSeconds(), etag: file.etag };
  const json = readDictionary(file.text);
  // Not quoted: the text may hold anything.
  if (json === undefined) return { ...about, config: null, problems: ["it is no JSON object"], warnings: [] };
  const checked = await ports.configFiles.check(cluster, json);
  return {
    ...about,
    config: redact(json, knownSecrets) as ConfigAnswer["config"],
    // They quote values.
    problems: checked.ok ? [] : checked.problems.map((problem) => redactText(problem, knownSecrets)),
    warnings: checked.ok ? checked.config.warnings.map((warning) => redactText(warning, knownSecrets)) : [],
  };
}

/** The object that a text holds as JSON; undefined when it holds none. */
export function readDictionary(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = jsonOr(text);
  return isDictionary(json) ? json : undefined;
}
