import { claimedOrigin, claimedSequence } from "../../messages/job-demand.ts";
import type { Ports } from "../../ports/index.ts";
import { noteRefused } from "./note-refused.ts";
import { type RawMessage, reject } from "./reject.ts";
import { tellRefused } from "./tell-refused.ts";

type RefusePorts = Pick<Ports, "clock" | "configs" | "demand" | "log" | "rejections" | "schedulerEvents">;

/** Records a demand message that takes no effect, and that its source's demand is unknown from now on. */
export async function refuseDemand(
  ports: RefusePorts,
  raw: RawMessage,
  why: { readonly kind: "invalid" | "poison"; readonly problems: readonly string[] },
): Promise<void> {
  await reject(ports, raw, why);
  const { cluster, source } = claimedOrigin(raw.body);
  // Of a message for no known cluster nobody can tell whose nodes it is about.
  if (cluster === undefined || !(await ports.configs.clusters()).includes(cluster)) return;
  const noted = await noteRefused(ports, { cluster, body: raw.body, problems: why.problems });
  if (noted !== "news" || source === undefined) return;
  const sequence = claimedSequence(raw.body) ?? null;
  await tellRefused(ports, { cluster, source, sequence, whole: true, problems: why.problems });
}
