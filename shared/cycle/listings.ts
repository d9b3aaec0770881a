import { shortHostname } from "../engine/index.ts";
import type { DemandNode } from "../messages/index.ts";
import type { SourceDemand } from "../ports/index.ts";

/** The last listing of one host by a source that can drain. */
export interface Listing {
  readonly source: string;
  /** False: silent past its time to live. */
  readonly isLive: boolean;
  readonly state: NonNullable<DemandNode["state"]>;
  /**
   * Time of the newest `drain` or `undrain` event that the state follows. Null: the scheduler set the state by itself.
   */
  readonly eventAtSeconds: number | null;
  /** By the clock of the source, but not after the receipt. */
  readonly sentAtSeconds: number;
}

export interface Listings {
  /** By short host name. */
  readonly byHostname: ReadonlyMap<string, readonly Listing[]>;
  /** Sources that list a node whose host name cannot be read. It may be any host that they do not list. */
  readonly ofOthers: readonly Listing[];
}

/** An event from further ahead is not ours, however far the clocks of our instances differ. */
const furthestAheadSeconds = 300;

/**
 * A message that was sent this long after a moment was also read after it: clocks differ, and reading a scheduler takes
 * time.
 */
const surelyLaterSeconds = 30;

/**
 * The listings of all hosts by sources that can drain. A node that was set aside is only known to be listed: it counts
 * as up and follows no event until its source lists it again.
 */
export function listingsOf(demand: readonly SourceDemand[], nowSeconds: number): Listings {
  const byHostname = new Map<string, Listing[]>();
  const ofOthers: Listing[] = [];
  for (const each of demand) {
    const { source, expiresAtSeconds, capabilities, nodes, setAside, receivedAtSeconds } = each;
    if (capabilities?.includes("drain") !== true) continue;
    const isLive = expiresAtSeconds > nowSeconds;
    // A clock that is ahead would date what was read before an event to after it. Nothing is read after its receipt.
    const sentAtSeconds = Math.min(each.sentAtSeconds ?? Number.NEGATIVE_INFINITY, receivedAtSeconds);
    const add = (hostname: string, listing: Listing) => {
      const listings = byHostname.get(shortHostname(hostname));
      if (listings === undefined) byHostname.set(shortHostname(hostname), [listing]);
      else listings.push(listing);
    };
    for (const { hostname, state = "up", eventAtSeconds: eventAt = null } of nodes) {
      const isOurs = eventAt !== null && eventAt <= nowSeconds + furthestAheadSeconds;
      add(hostname, { source, isLive, state, eventAtSeconds: isOurs ? eventAt : null, sentAtSeconds });
    }
    const unknown: Listing = { source, isLive, state: "up", eventAtSeconds: null, sentAtSeconds };
    const unread = setAside?.items.filter(({ kind }) => kind === "node") ?? [];
    for (const { name } of unread) if (name !== null) add(name, unknown);
    if (unread.some(({ name }) => name === null)) ofOthers.push(unknown);
  }
  return { byHostname, ofOthers };
}

export function isEmpty({ byHostname, ofOthers }: Listings): boolean {
  return byHostname.size === 0 && ofOthers.length === 0;
}

export function listingsFor(listings: Listings, hostname: string | null): readonly Listing[] {
  if (hostname === null) return [];
  const own = listings.byHostname.get(shortHostname(hostname)) ?? [];
  const { ofOthers } = listings;
  if (ofOthers.length === 0) return own;
  return [...own, ...ofOthers.filter(({ source }) => !own.some((listing) => listing.source === source))];
}

/** Whether the source has acted on the event of that time, or on a later one. */
export function obeys({ eventAtSeconds }: Listing, sinceSeconds: number): boolean {
  return eventAtSeconds !== null && eventAtSeconds >= sinceSeconds;
}

/**
 * Drained by that event, or seen after it to be out for another reason. A host that was drained before and then
 * undrained may run jobs by now.
 */
export function isDrained(listing: Listing, sinceSeconds: number): boolean {
  if (listing.state !== "drained") return false;
  const isSeenSince = listing.sentAtSeconds >= sinceSeconds + surelyLaterSeconds;
  return obeys(listing, sinceSeconds) || (isOutByOthers(listing) && isSeenSince);
}

/**
 * Drained or draining for another reason than our events: its scheduler starts nothing there until somebody undrains
 * it.
 */
export function isOutByOthers({ state, eventAtSeconds }: Listing): boolean {
  return state !== "up" && eventAtSeconds === null;
}

/**
 * Draining for another reason than our events: jobs of its scheduler run there, or it keeps the node for a reservation, for
 * maintenance or for a restart, which end by themselves.
 */
export function isHeldByOthers(listing: Listing): boolean {
  return listing.isLive && listing.state === "draining" && isOutByOthers(listing);
}

/** Drained or draining because of an event before that time, not by hand. */
export function isOutByEvent(
  { state, eventAtSeconds }: Listing,
  beforeSeconds = Number.POSITIVE_INFINITY,
): boolean {
  return state !== "up" && eventAtSeconds !== null && eventAtSeconds < beforeSeconds;
}
