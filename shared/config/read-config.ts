import { ConfigurationError } from "../errors.ts";
import { parseJson } from "../json.ts";
import type { ClusterConfig } from "../ports/index.ts";
import { checkConfig } from "./check-config.ts";

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
