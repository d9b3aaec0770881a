import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode, Refusal } from "../ledger/ledger-bucket.ts";
import { type Allocation, spend } from "./allocation.ts";
import { candidatesFor, refusalOf } from "./candidates.ts";
import { fillNewNodes, fillNodes, hasOwnNodes, isAvoided, poolsAllow } from "./fill.ts";
import { accepts, capacityIn, capacityOn } from "./offer.ts";
import { behindDeallocated, firstPosition, nextPosition, openSearch, type Search } from "./search.ts";
import { endOfTurn, isShared, noteCrossing } from "./turns.ts";

/** Tries one bucket after the other for the whole job; an attempt that falls short is undone. */
export function placeWhole(ledger: Ledger, allocation: Allocation): void {
  const { job } = allocation;
  const refusals: Refusal[] = [];
  const candidates = candidatesFor(ledger, allocation);
  for (let from = 0; from < candidates.length; ) {
    const to = endOfTurn(candidates, from);
    if (isShared(candidates, from) && reuseWhole(ledger, allocation, candidates, { from, to })) return;
    for (let k = from; k < to && allocation.heldBy === null; k++) {
      const bucket = candidates[k] as LedgerBucket;
      const refusal = job.colocated ? notColocating(ledger, bucket, allocation) : null;
      if (refusal === null && attemptWhole(ledger, allocation, openSearch(ledger, candidates, k, allocation)))
        return;
      refusals.push(refusal ?? refusalOf(ledger, bucket));
    }
    if (allocation.heldBy !== null) return;
    from = to;
  }
  if (allocation.heldBy === null) allocation.refusals = ledger.refusals.of(refusals);
}

/** Puts the whole job into one of its buckets, or on nodes of those `above` it, the first ones; false: it does not go. */
export function placeWholeIn(ledger: Ledger, allocation: Allocation, at: number, above: number): boolean {
  const candidates = candidatesFor(ledger, allocation);
  if (reuseWhole(ledger, allocation, candidates, { from: 0, to: above })) return true;
  const isRefused =
    allocation.job.colocated && notColocating(ledger, candidates[at] as LedgerBucket, allocation) !== null;
  return !isRefused && attemptWhole(ledger, allocation, openSearch(ledger, candidates, at, allocation));
}

/** Tries the buckets of a turn with nothing but what runs there or is on order. */
function reuseWhole(
  ledger: Ledger,
  allocation: Allocation,
  candidates: readonly LedgerBucket[],
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  for (let k = from; k < to && allocation.heldBy === null; k++) {
    const bucket = candidates[k] as LedgerBucket;
    if (bucket.nodes.length === 0) continue;
    if (allocation.job.colocated && notColocating(ledger, bucket, allocation) !== null) continue;
    if (!attemptWhole(ledger, allocation, openSearch(ledger, candidates, k, allocation, true))) continue;
    noteCrossing(ledger, candidates, from, k);
    return true;
  }
  return false;
}

function attemptWhole(ledger: Ledger, allocation: Allocation, search: Search): boolean {
  const { bucket, shape, candidate } = search;
  const missing = allocation.asked - allocation.granted;
  if (!poolsAllow(ledger, allocation) || !mayHold(ledger, search, missing)) return false;
  const foreseen = foresee(ledger, allocation, search);
  if (foreseen === "too-little") remember(allocation, search, missing);
  if (foreseen !== "fits") return false;
  const before = { granted: allocation.granted, placements: allocation.placements, cursor: search.at };
  const coresLeft = allocation.owners.map(({ left }) => left);
  allocation.placements = [...before.placements];
  const kept = ledger.attempt(() => {
    fillNodes(ledger, allocation, search);
    if (!search.isReuse) fillNewNodes(ledger, allocation, search);
    return allocation.granted >= allocation.asked && fitsGroup(allocation, bucket);
  });
  if (kept) return true;
  const hadTooLittle = allocation.granted < allocation.asked && allocation.heldBy === null;
  for (const [index, owner] of allocation.owners.entries()) owner.left = coresLeft[index] as number;
  allocation.granted = before.granted;
  allocation.placements = before.placements;
  if (shape.cursors !== null) shape.cursors[candidate] = before.cursor;
  if (hadTooLittle) remember(allocation, search, missing);
  return false;
}

/**
 * Notes that a bucket has too little for so much. What it has only shrinks, so that this stays true while it gets no new
 * nodes; that a job came to lie on too many nodes for a group does not, since others may fill those that held little. Nor
 * is it so of a job that nodes refuse for what it holds.
 */
function remember(allocation: Allocation, search: Search, missing: number): void {
  const { shape } = search;
  if (!shape.monotone || shape.jobs === 1 || hasOwnNodes(allocation)) return;
  shape.wholeFailures ??= [];
  shape.wholeFailures[failureIndex(search)] = { missing, nodes: nodesAsked(search) };
}

/** Nodes (scatter) and slots (colocated pack) are remembered apart, and so is what was asked without new nodes. */
function failureIndex({ candidate, perNode, isReuse }: Search): number {
  return 4 * candidate + (perNode === 1 ? 1 : 0) + (isReuse ? 2 : 0);
}

/** While this stays the same, nodes that were too few still are. */
function nodesAsked({ bucket, isReuse }: Search): number {
  return bucket.nodes.length - (isReuse ? bucket.deallocatedCount : 0);
}

/** Whether trying is worth it: an attempt costs as much as the job is large. */
function mayHold(ledger: Ledger, search: Search, missing: number): boolean {
  const { bucket, shape, at, perNode } = search;
  const failure = shape.wholeFailures?.[failureIndex(search)];
  if (failure !== undefined && missing >= failure.missing && nodesAsked(search) === failure.nodes)
    return false;
  const fewest = perNode === 1 ? missing : 1;
  const reachable = bucket.nodes.length - Math.max(0, at) + newNodesIn(ledger, search);
  return reachable >= fewest && ledger.isOpenFor(bucket, fewest);
}

function newNodesIn(ledger: Ledger, { bucket, isReuse }: Search): number {
  return isReuse ? 0 : ledger.capacityOf(bucket);
}

/**
 * What an attempt would come to, found out without making nodes: those of a large job that fails would all have to be
 * taken back. Only amounts show that beforehand; all other wishes have to be tried. What needs no new nodes is searched no further
 * than on the nodes that were found.
 */
function foresee(ledger: Ledger, allocation: Allocation, search: Search): "fits" | "too-little" | "not-now" {
  const { bucket, shape, perNode } = search;
  const { profile } = shape;
  let missing = allocation.asked - allocation.granted;
  if (ledger.pools.slotsLeft(profile.draws, allocation.granted > 0) < missing) return "not-now";
  if (profile.own.length > 0 || profile.alternatives.length > 0) return "fits";
  const most = allocation.job.colocated ? bucket.maxPlacementGroupSize : Number.POSITIVE_INFINITY;
  const perNew = Math.min(perNode, capacityIn(bucket.exampleRow, search.demand, shape.exclusive));
  let nodes = allocation.placements.length;
  let room = newNodesIn(ledger, search);
  const found: number[] = [];
  const newNodes = () => Math.max(1, Math.ceil(missing / perNew));
  const isSettled = () => missing <= 0 || (!allocation.job.colocated && newNodes() <= room);
  for (
    let position = isSettled() ? -1 : firstPosition(search);
    position >= 0;
    position = nextPosition(search, position + 1)
  ) {
    if (!spend(allocation, 1)) return "not-now";
    const node = bucket.nodes[position] as LedgerNode;
    if (search.isReuse && node.origin === "deallocated") {
      // Skipped, but not behind the cursor: it may be started for the next job.
      found.push(position);
      position = behindDeallocated(search, position) - 1;
      continue;
    }
    if (!isUsable(ledger, node, room) || !accepts(ledger, node, allocation)) continue;
    if (isAvoided(allocation, search, node)) continue;
    found.push(position);
    missing -= Math.min(perNode, capacityOn(node, search.demand, shape.exclusive));
    if (node.origin === "deallocated") room--;
    if (allocation.placements.at(-1)?.node !== node) nodes++;
    if (isSettled() || nodes > most) break;
  }
  if (missing > 0) {
    if (newNodes() > room) return nodes > most ? "not-now" : "too-little";
    nodes += newNodes();
  } else if (allocation.owners.length === 0 && profile.draws.length === 0) search.named = found;
  return nodes > most ? "not-now" : "fits";
}

function isUsable(ledger: Ledger, node: LedgerNode, room: number): boolean {
  return ledger.isUsable(node) && (node.origin !== "deallocated" || room >= 1);
}

/** A colocated job's nodes are in one group, no more of them than it may hold. */
function fitsGroup({ job, placements }: Allocation, bucket: LedgerBucket): boolean {
  return !job.colocated || placements.length <= bucket.maxPlacementGroupSize;
}

function notColocating(
  ledger: Ledger,
  bucket: LedgerBucket,
  { job, asked, placements, group }: Allocation,
): Refusal | null {
  const elsewhere = placements.some(({ node }) => node.bucket !== bucket);
  if (bucket.placementGroup === null || elsewhere) return groupRefusals(bucket).none;
  const isTooSmall = job.packingStrategy === "scatter" && asked > bucket.maxPlacementGroupSize;
  if (isTooSmall) return groupRefusals(bucket).tooSmall;
  // Other parts of its gang have no room there.
  return group !== null && group !== bucket.placementGroup ? refusalOf(ledger, bucket) : null;
}

/** One object for all jobs: a long queue of them may be refused by every bucket. */
const knownRefusals = new WeakMap<LedgerBucket, { readonly none: Refusal; readonly tooSmall: Refusal }>();

function groupRefusals(bucket: LedgerBucket): { readonly none: Refusal; readonly tooSmall: Refusal } {
  const known = knownRefusals.get(bucket);
  if (known !== undefined) return known;
  const left = bucket.maxPlacementGroupSize;
  const made = {
    none: { code: "NotInAPlacementGroup", bucket, limit: null, left: 0 },
    tooSmall: { code: "PlacementGroupTooSmall", bucket, limit: "placement-group", left },
  } as const;
  knownRefusals.set(bucket, made);
  return made;
}
