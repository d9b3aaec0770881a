import { type DemandSummary, type Ports, unknownSource } from "../../ports/index.ts";
import { configuredOr } from "./configured.ts";
import { type ForgetPorts, forgetSource } from "./forget-source.ts";
import { longestSilenceSeconds } from "./live-demand.ts";

/** Used when the cluster's own setting cannot be read. */
const usualMostSources = 50;

type RoomPorts = ForgetPorts & Pick<Ports, "clock">;

/**
 * Why an unknown source is refused; undefined: it is accepted. Each source adds to the cost of every plan and event,
 * and a sender can invent any number of sources. A live source, or one whose jobs may still run, is never replaced; a
 * silent one is. Two new sources at the same moment may both be accepted.
 */
export async function noRoomForSource(
  ports: RoomPorts,
  { cluster, source }: { readonly cluster: string; readonly source: string },
): Promise<string | undefined> {
  const most = await mostSources(ports, cluster);
  const nowSeconds = ports.clock.nowSeconds();
  const all = (await ports.demand.summaries(cluster)).filter((each) => each.source !== unknownSource);
  const sources = new Set(all.map((each) => each.source));
  // Sources that have only sent parts.
  const incomplete = (await ports.demand.sourcesWithParts(cluster)).filter(
    (each) => each !== source && !sources.has(each),
  );
  const held = all.filter((each) => isHeld(each, nowSeconds));
  const taken = held.length + incomplete.length;
  if (taken >= most)
    return `source: "${source}" would be one too many, expected at most ${most} (max_sources); ${taken} are live, or have jobs that may still run`;
  const spare = all
    .filter((each) => !isHeld(each, nowSeconds))
    .sort((a, b) => a.expiresAtSeconds - b.expiresAtSeconds);
  const tooMany = Math.max(0, all.length + incomplete.length + 1 - most);
  for (const each of spare.slice(0, tooMany)) await forgetSource(ports, each);
  return undefined;
}

/** Whether a source is live, or its last message still protects nodes. */
function isHeld({ expiresAtSeconds, refused, running }: DemandSummary, nowSeconds: number): boolean {
  if (expiresAtSeconds > nowSeconds) return true;
  if (refused !== undefined && refused.untilSeconds > nowSeconds) return true;
  return running > 0 && expiresAtSeconds + longestSilenceSeconds > nowSeconds;
}

function mostSources(ports: Pick<Ports, "configs">, cluster: string): Promise<number> {
  return configuredOr(ports, cluster, {
    read: (config) => config?.cycle.maxSources ?? usualMostSources,
    unreadable: usualMostSources,
  });
}
