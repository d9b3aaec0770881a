import { describeSetAside } from "../messages/set-aside.ts";
import { type SourceDemand, unknownSource } from "../ports/index.ts";

/** A source of which nobody can tell what it runs where. While there is one, no node counts as idle for certain. */
export interface Doubt {
  /** Null: of messages that name no known source. */
  readonly source: string | null;
  readonly why: string;
  readonly sinceSeconds: number;
  /** When it ends without another message. */
  readonly untilSeconds: number;
}

/**
 * Why nothing may go for being idle: the newest message of a source was refused whole, or a job that was set aside runs
 * on hosts that cannot be read. "Cannot tell" is not "runs nothing".
 */
export function doubtsOf(demand: readonly SourceDemand[], nowSeconds: number): readonly Doubt[] {
  return demand.flatMap((each) => [...refusedDoubt(each, nowSeconds), ...lostHostsDoubt(each, nowSeconds)]);
}

function refusedDoubt({ source, refused }: SourceDemand, nowSeconds: number): readonly Doubt[] {
  if (refused === undefined || refused.untilSeconds <= nowSeconds) return [];
  const { sinceSeconds, untilSeconds, claimedSource, problems } = refused;
  const whose =
    source !== unknownSource
      ? `the newest message of source "${source}" was refused`
      : claimedSource === null
        ? "a message without a readable source was refused"
        : `a message of "${claimedSource}", which has no demand here, was refused`;
  const why = [whose, ...problems.slice(0, 1)].join(": ");
  return [{ source: source === unknownSource ? null : source, why, sinceSeconds, untilSeconds }];
}

function lostHostsDoubt(demand: SourceDemand, nowSeconds: number): readonly Doubt[] {
  const { source, setAside, receivedAtSeconds, expiresAtSeconds } = demand;
  if (expiresAtSeconds <= nowSeconds) return [];
  const lost = setAside?.items.find(({ running }) => running?.isWhole === false);
  if (lost === undefined) return [];
  const why = `source "${source}" may run ${describeSetAside({ ...lost, problems: [] })} on hosts that cannot be read`;
  return [{ source, why, sinceSeconds: receivedAtSeconds, untilSeconds: expiresAtSeconds }];
}
