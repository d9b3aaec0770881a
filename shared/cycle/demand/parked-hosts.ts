import { shortHostname } from "../../engine/index.ts";
import type { DemandPart, MessageIdentity, Ports, SourceDemand } from "../../ports/index.ts";

/** More than a burst of deltas; those of the newest messages are read. */
const mostMessages = 100;

/** A message that was taken and could not take effect yet. */
export interface ParkedMessage extends Pick<MessageIdentity, "source" | "sequence"> {
  /** Short names of hosts on which a job runs, by the parts that have arrived. */
  readonly hostnames: readonly string[];
}

/**
 * Deltas whose predecessor is missing, and snapshots of which parts are missing. Read them before the demand: one that takes
 * effect meanwhile is then in both, not in neither.
 */
export async function parkedMessages(
  { demand }: Pick<Ports, "demand">,
  cluster: string,
): Promise<readonly ParkedMessage[]> {
  const parked: ParkedMessage[] = [];
  for (const source of await demand.sourcesWithParts(cluster)) {
    const waiting = await demand.waitingParts({ cluster, source });
    const sequences = [...new Set(waiting.map(({ sequence }) => sequence))].toSorted((a, b) => b - a);
    for (const sequence of sequences.slice(0, mostMessages)) {
      const parts = await demand.loadParts({ cluster, source, sequence });
      parked.push({ source, sequence, hostnames: parts.flatMap(hostnamesIn) });
    }
  }
  return parked;
}

function hostnamesIn({ jobs, setAside = [] }: DemandPart): readonly string[] {
  const ofJobs = jobs.flatMap(({ executingHostnames }) => executingHostnames);
  return [...ofJobs, ...setAside.flatMap(({ running }) => running?.hostnames ?? [])].map(shortHostname);
}

/** Those that are newer than what counts of their source; none of a source that never had demand: it would protect hosts without end. */
export function newerThan(
  parked: readonly ParkedMessage[],
  demand: readonly SourceDemand[],
): readonly ParkedMessage[] {
  const newest = new Map(demand.map(({ source, sequence }) => [source, sequence]));
  return parked.filter(({ source, sequence }) => sequence > (newest.get(source) ?? Number.POSITIVE_INFINITY));
}
