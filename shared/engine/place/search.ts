import type { Demand } from "../ledger/availability.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { isKnownOfNewNodes } from "../ledger/node-index.ts";
import type { Allocation } from "./allocation.ts";
import type { Taken } from "./offer.ts";
import type { Profile } from "./profile.ts";
import { demandIn, type Shape } from "./shape.ts";

/** Rows being searched for one demand. */
interface Searched {
  readonly bucket: Pick<LedgerBucket, "table" | "memory"> & { readonly nodes: readonly unknown[] };
  readonly demand: Demand;
  /** Positions of the only nodes that will do, in order; null: any may. */
  readonly named: readonly number[] | null;
  /** The first node that may still fit. */
  readonly at: number;
}

/** One bucket being searched for one shape. */
export interface Search extends Searched, Taken {
  readonly bucket: LedgerBucket;
  readonly shape: Shape;
  /** Place of the bucket among the shape's candidates. */
  readonly candidate: number;
  /** Slots wanted of one node: all that are missing, or one. */
  readonly perNode: number;
  /** Whether only nodes that run or are on order are asked: none is started or made. */
  readonly isReuse: boolean;
  named: readonly number[] | null;
  at: number;
}

/** Cursor of a bucket that the shape never searched. */
export const notSearched = -1;

export function openSearch(
  ledger: Ledger,
  candidates: readonly LedgerBucket[],
  candidate: number,
  { shape, job }: Allocation,
  isReuse = false,
): Search {
  const bucket = candidates[candidate] as LedgerBucket;
  return {
    bucket,
    shape,
    demand: demandIn(shape, bucket.columns),
    exclusive: shape.exclusive,
    closes: shape.exclusive !== "none",
    draws: shape.profile.draws,
    candidate,
    isReuse,
    perNode: job.packingStrategy === "scatter" ? 1 : Number.POSITIVE_INFINITY,
    named: namedIn(ledger, shape.profile, bucket),
    at: shape.monotone ? (shape.cursors?.[candidate] ?? notSearched) : 0,
  };
}

/** The first node to try: where the shape stopped last time, or the first that the bucket's index allows. */
export function firstPosition(search: Searched): number {
  const { bucket, demand, at, named } = search;
  const { table, memory } = bucket;
  if (!table.mayFit(demand)) return -1;
  if (named !== null || at !== notSearched) return nextPosition(search, Math.max(0, at));
  const start = memory.startFor(demand);
  const position = table.firstFit(start, demand);
  const end = position < 0 ? bucket.nodes.length : position;
  // Nothing is learnt where the search ends at once.
  if (end > start) memory.learn(demand, end);
  return position;
}

/** The first node from a position on that covers the demand; -1: none. */
export function nextPosition({ bucket, demand, named }: Searched, from: number): number {
  if (named === null) return bucket.table.firstFit(from, demand);
  for (let i = firstFrom(named, from); i < named.length; i++) {
    const position = named[i] as number;
    if (bucket.table.fits(position, demand)) return position;
  }
  return -1;
}

/** Index of the first position that is not before `from`. */
function firstFrom(positions: readonly number[], from: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where to go on behind a deallocated node that is not to be started: past all of its kind, as far as that is known. */
export function behindDeallocated({ bucket }: Search, position: number): number {
  return position > bucket.lastStarted ? bucket.firstNodes : position + 1;
}

/** Positions of the nodes of a bucket that a profile names; null: it names none. */
export function namedIn(ledger: Ledger, profile: Profile, bucket: LedgerBucket): readonly number[] | null {
  if (profile.names === null) return null;
  const first = namedFirst(ledger, profile).get(bucket) ?? none;
  if (!isKnownOfNewNodes(profile.names.naming) || bucket.nodes.length === bucket.firstNodes) return first;
  return [...first, ...namedMade(ledger, profile.names.values, bucket)];
}

/** Buckets with nodes of these names, of those that are there from the start. */
export function namedFirst(ledger: Ledger, profile: Profile): ReadonlyMap<LedgerBucket, readonly number[]> {
  if (profile.named !== null) return profile.named;
  const named = new Map<LedgerBucket, number[]>();
  const { naming, values } = profile.names ?? { naming: "name", values: [] };
  for (const value of values)
    for (const { bucket, position } of ledger.index.find(naming, value)) {
      const positions = named.get(bucket);
      if (positions === undefined) named.set(bucket, [position]);
      else positions.push(position);
    }
  // Two spellings may name one node.
  const sorted = new Map(
    [...named].map(([bucket, positions]) => [bucket, [...new Set(positions)].sort((a, b) => a - b)] as const),
  );
  profile.named = sorted;
  return sorted;
}

/** Searches the nodes that this plan made, through the shorter of the two lists. */
function namedMade(ledger: Ledger, values: ReadonlySet<string>, bucket: LedgerBucket): readonly number[] {
  const made = bucket.nodes.length - bucket.firstNodes;
  if (made <= values.size)
    return bucket.nodes
      .slice(bucket.firstNodes)
      .filter(({ name }) => values.has(name))
      .map(({ position }) => position);
  const nodes = [...values].flatMap((value) => ledger.index.findMade(value) ?? []);
  return nodes
    .filter((node) => node.bucket === bucket)
    .map(({ position }) => position)
    .sort((a, b) => a - b);
}

const none: readonly number[] = [];
