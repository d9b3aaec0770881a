import { kindOf, messageOf } from "../../errors/errors.ts";
import { type Ports, type SourceDemand, unknownSource } from "../../ports/index.ts";
import { longestSilenceSeconds } from "./live-demand.ts";

/** The rest is removed with the next snapshots. */
const mostAtOnce = 20;

export type ForgetPorts = Pick<Ports, "configs" | "demand" | "log" | "schedulerEvents">;

/** Forgets sources whose demand has had no effect for a while: silent ones, a day after their time to live. */
export async function forgetSilent(
  ports: ForgetPorts,
  demand: readonly SourceDemand[],
  nowSeconds: number,
): Promise<void> {
  const silent = demand.filter(
    ({ expiresAtSeconds, refused }) =>
      Math.max(expiresAtSeconds, refused?.untilSeconds ?? 0) + longestSilenceSeconds <= nowSeconds,
  );
  for (const each of silent.slice(0, mostAtOnce)) await forgetSource(ports, each);
}

/**
 * Removes what is stored of a source, and its queue of events unless another cluster knows the source. Keeps a source
 * that has sent something since it was `seen`. A failure to remove is logged; the next snapshot retries.
 */
export async function forgetSource(
  ports: ForgetPorts,
  seen: Pick<SourceDemand, "cluster" | "source" | "receivedAtSeconds" | "sequence">,
): Promise<void> {
  const { cluster, source } = seen;
  try {
    const stored = await ports.demand.load(cluster, source);
    if (stored === undefined || stored.value.receivedAtSeconds !== seen.receivedAtSeconds) return;
    if (stored.value.sequence !== seen.sequence) return;
    await ports.demand.remove(stored.value, stored.etag);
    await ports.demand.dropParts({ cluster, source, sequence: Number.MAX_SAFE_INTEGER });
    if (source !== unknownSource && !(await isKnownElsewhere(ports, seen)))
      await ports.schedulerEvents.forget(source);
    ports.log.info("source-forgotten", { cluster, source });
  } catch (error) {
    const kind = kindOf(error);
    if (kind === "conflict") return;
    if (kind !== "upstream") throw error;
    ports.log.warn("source-not-forgotten", { cluster, source, message: messageOf(error) });
  }
}

async function isKnownElsewhere(
  { configs, demand }: ForgetPorts,
  { cluster, source }: Pick<SourceDemand, "cluster" | "source">,
): Promise<boolean> {
  for (const other of await configs.clusters())
    if (other !== cluster && (await demand.load(other, source)) !== undefined) return true;
  return false;
}
