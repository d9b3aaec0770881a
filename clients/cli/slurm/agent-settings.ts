import { isDictionary } from "../../../shared/json/json.ts";
import { readJson } from "../read-text.ts";

/** Slurm's section of the agent's settings, and the cluster that they name. Without a file: the usual ones. */
export async function agentSettings(
  file: string | undefined,
): Promise<{ readonly section: unknown; readonly cluster: string | undefined }> {
  const json = file === undefined ? {} : await readJson(file);
  if (!isDictionary(json)) return { section: json, cluster: undefined };
  const { slurm = {}, cluster } = json;
  return { section: slurm, cluster: typeof cluster === "string" ? cluster : undefined };
}
