import { claimedOrigin } from "../../messages/job-demand.ts";
import type { Ports } from "../../ports/index.ts";
import { noteRefused } from "./note-refused.ts";
import { type RawMessage, reject } from "./reject.ts";

type RefusePorts = Pick<Ports, "clock" | "configs" | "demand" | "log" | "rejections">;

/** Records a demand message that takes no effect, and that its source's demand is unknown from now on. */
export async function refuseDemand(
  ports: RefusePorts,
  raw: RawMessage,
  why: { readonly kind: "invalid" | "poison"; readonly problems: readonly string[] },
): Promise<void> {
  await reject(ports, raw, why);
  const { cluster } = claimedOrigin(raw.body);
  // Of a message for no known cluster nobody can tell whose nodes it is about.
  if (cluster === undefined || !(await ports.configs.clusters()).includes(cluster)) return;
  await noteRefused(ports, { cluster, body: raw.body, problems: why.problems });
}
