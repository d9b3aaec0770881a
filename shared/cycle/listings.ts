import { shortHostname } from "../engine/index.ts";
import type { DemandNode } from "../messages/job-demand.ts";
import type { SourceDemand } from "../ports/index.ts";

/** What a source that can drain last said of one of its hosts. */
export interface Listing {
  readonly source: string;
  /** False: silent past its time to live. */
  readonly isLive: boolean;
  readonly state: NonNullable<DemandNode["state"]>;
  /** Of the newest `drain` or `undrain` event that the state obeys. Null: it is of the scheduler's own making. */
  readonly eventAtSeconds: number | null;
  /** By the clock of the source; null: not known. */
  readonly sentAtSeconds: number | null;
}

export type Listings = ReadonlyMap<string, readonly Listing[]>;

/** An event from further ahead is none of ours, however far the clocks of our instances are apart. */
const furthestAheadSeconds = 300;

/** What was sent so long after a moment was also read after it: clocks may be apart, and reading a scheduler takes a while. */
const surelyLaterSeconds = 30;

/** Everything that sources which can drain say of hosts, by short host name. */
export function listingsOf(demand: readonly SourceDemand[], nowSeconds: number): Listings {
  const byHostname = new Map<string, Listing[]>();
  for (const { source, expiresAtSeconds, capabilities, nodes, sentAtSeconds = null } of demand) {
    if (capabilities?.includes("drain") !== true) continue;
    const isLive = expiresAtSeconds > nowSeconds;
    for (const { hostname, state = "up", eventAtSeconds: eventAt = null } of nodes) {
      const isOurs = eventAt !== null && eventAt <= nowSeconds + furthestAheadSeconds;
      const listing = { source, isLive, state, eventAtSeconds: isOurs ? eventAt : null, sentAtSeconds };
      const known = byHostname.get(shortHostname(hostname));
      if (known === undefined) byHostname.set(shortHostname(hostname), [listing]);
      else known.push(listing);
    }
  }
  return byHostname;
}

export function listingsFor(listings: Listings, hostname: string | null): readonly Listing[] {
  return hostname === null ? [] : (listings.get(shortHostname(hostname)) ?? []);
}

/** Whether the source has acted on the event of that time, or on a later one. */
export function obeys({ eventAtSeconds }: Listing, sinceSeconds: number): boolean {
  return eventAtSeconds !== null && eventAtSeconds >= sinceSeconds;
}

/**
 * Drained by that very event, or seen after it to be out by somebody else's making: a host that was drained before, and
 * taken back, may run jobs by now.
 */
export function isDrained(listing: Listing, sinceSeconds: number): boolean {
  if (listing.state !== "drained") return false;
  const { sentAtSeconds } = listing;
  const isSeenSince = sentAtSeconds !== null && sentAtSeconds >= sinceSeconds + surelyLaterSeconds;
  return obeys(listing, sinceSeconds) || (isOutByOthers(listing) && isSeenSince);
}

/** Drained or draining by none of our events: its scheduler starts nothing there until whoever did it takes it back. */
export function isOutByOthers({ state, eventAtSeconds }: Listing): boolean {
  return state !== "up" && eventAtSeconds === null;
}

/** Drained or draining because of an event (of before that time), not because somebody did it by hand. */
export function isOutByEvent(
  { state, eventAtSeconds }: Listing,
  beforeSeconds = Number.POSITIVE_INFINITY,
): boolean {
  return state !== "up" && eventAtSeconds !== null && eventAtSeconds < beforeSeconds;
}
