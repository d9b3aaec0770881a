import type { CheckedConfig } from "../ports/index.ts";
import { parseConfig } from "./parse-config.ts";
import { type LoadInclude, resolveIncludes } from "./resolve-includes.ts";

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
