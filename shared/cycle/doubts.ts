import { describeSetAside } from "../messages/index.ts";
import { type DemandSummary, type SourceDemand, unknownSource } from "../ports/index.ts";
import { printable } from "../text/text.ts";

/** A source whose running jobs are not known. While there is one, no node counts as idle for certain. */
export interface Doubt {
  /** Null: the messages name no known source. */
  readonly source: string | null;
  readonly why: string;
  readonly sinceSeconds: number;
  /** When it ends without another message. */
  readonly untilSeconds: number;
}

/**
 * Why no node may be deleted for being idle: the newest message of a source was refused whole, or a job that was set
 * aside runs on hosts that cannot be read. Unknown is not idle.
 */
export function doubtsOf(demand: readonly SourceDemand[], nowSeconds: number): readonly Doubt[] {
  return demand.flatMap((each) => [...refusedDoubt(each, nowSeconds), ...lostHostsDoubt(each, nowSeconds)]);
}

/** Whether a node that goes for this cause goes because nothing needs it: any doubt about the demand keeps it. */
export function restsOnDemand(cause: string): boolean {
  return cause === "idle-timeout" || cause === "unwanted" || cause === "unhealthy";
}

/** The same from the summaries of sources. */
export function doubtsOfSummaries(demand: readonly DemandSummary[], nowSeconds: number): readonly Doubt[] {
  return demand.flatMap((each) => [
    ...refusedDoubt(each, nowSeconds),
    ...((each.setAside?.lost ?? 0) > 0 ? lostHosts(each, "jobs that were set aside", nowSeconds) : []),
  ]);
}

type Spoken = Pick<SourceDemand, "source" | "refused" | "receivedAtSeconds" | "expiresAtSeconds">;

function refusedDoubt({ source, refused }: Spoken, nowSeconds: number): readonly Doubt[] {
  if (refused === undefined || refused.untilSeconds <= nowSeconds) return [];
  const { sinceSeconds, untilSeconds, claimedSource, problems } = refused;
  const whose =
    source !== unknownSource
      ? `the newest message of source "${source}" was refused`
      : claimedSource === null
        ? "a message without a readable source was refused"
        : `a message of "${printable(claimedSource)}", which has no demand here, was refused`;
  const why = [whose, ...problems.slice(0, 1)].join(": ");
  return [{ source: source === unknownSource ? null : source, why, sinceSeconds, untilSeconds }];
}

function lostHostsDoubt(demand: SourceDemand, nowSeconds: number): readonly Doubt[] {
  const lost = demand.setAside?.items.find(({ running }) => running?.isWhole === false);
  return lost === undefined ? [] : lostHosts(demand, describeSetAside({ ...lost, problems: [] }), nowSeconds);
}

function lostHosts(
  { source, receivedAtSeconds, expiresAtSeconds }: Spoken,
  what: string,
  nowSeconds: number,
): readonly Doubt[] {
  if (expiresAtSeconds <= nowSeconds) return [];
  const why = `source "${source}" may run ${what} on hosts that cannot be read`;
  return [{ source, why, sinceSeconds: receivedAtSeconds, untilSeconds: expiresAtSeconds }];
}
