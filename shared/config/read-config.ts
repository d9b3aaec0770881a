import { ConfigurationError } from "../errors/errors.ts";
import { parseJson } from "../json/json.ts";
import type { CheckedConfig, ClusterConfig } from "../ports/index.ts";
import { parseConfig } from "./parse-config.ts";
import { type LoadInclude, resolveIncludes } from "./resolve-includes.ts";

/** Reads the text of an `autoscale.json` with what it includes. Throws ConfigurationError with every problem. */
export async function readConfig(
  cluster: string,
  text: string,
  readInclude: (path: string) => Promise<string | undefined>,
): Promise<ClusterConfig> {
  const subject = `configuration of cluster "${cluster}"`;
  const checked = await checkConfig(cluster, readJson(subject, text), async (path) => {
    const included = await readInclude(path);
    return included === undefined ? undefined : parseJson(included);
  });
  if (!checked.ok) throw new ConfigurationError(subject, checked.problems);
  return checked.config;
}

function readJson(subject: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new ConfigurationError(subject, ["it is not JSON"]);
  }
}

/** Reads a configuration with what it includes, as the service does. Names every problem of both at once. */
export async function checkConfig(
  cluster: string,
  json: unknown,
  loadInclude: LoadInclude,
): Promise<CheckedConfig> {
  const resolved = await resolveIncludes({ path: "", json, loadInclude });
  const merged = resolved.ok ? resolved.json : json;
  const parsed = parseConfig({ cluster, json: merged });
  if (resolved.ok && parsed.ok) return { ok: true, json: merged, config: parsed.config };
  const problems = [...(resolved.ok ? [] : resolved.problems), ...(parsed.ok ? [] : parsed.problems)];
  return { ok: false, json: merged, problems };
}
