/**
 * Allocation is first fit over buckets in order of preference: the nodes of all buckets that take their turn together
 * (`turns.ts`), in each in name order, then new nodes (vector bin packing, first fit in the order of the demand). No bound on waste is promised: the order of the
 * queue and of the buckets means something to users, so nothing is sorted by size, and first fit has anomalies
 * (a larger cluster can pack worse). What is promised: no limit is exceeded, no amount goes below zero, and an
 * all-or-nothing job leaves no trace when it fails.
 *
 * Cost: what a node has left only shrinks, so each shape searches each bucket once however many jobs have it, and a
 * search skips full nodes in a tree (`availability.ts`). About O((jobs x buckets + placements) x log nodes).
 */
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, Refusal } from "../ledger/ledger-bucket.ts";
import type { Job } from "../model/job.ts";
import type { Allocation } from "./allocation.ts";
import { candidatesFor, refusalOf } from "./candidates.ts";
import { fillNewNodes, fillNodes, poolsAllow } from "./fill.ts";
import { capacityIn } from "./offer.ts";
import { openSearch } from "./search.ts";
import { demandIn } from "./shape.ts";
import { endOfTurn, isShared, noteCrossing } from "./turns.ts";
import { placeWhole, placeWholeIn } from "./whole.ts";

/** Places what is left to place of a job. */
export function allocate(ledger: Ledger, allocation: Allocation): void {
  if (allocation.granted >= allocation.asked || allocation.heldBy !== null) return;
  if (failsAgain(ledger, allocation)) allocation.refusals = allocation.shape.refusals;
  else if (isWhole(allocation.job)) {
    placeWhole(ledger, allocation);
    if (isWanting(allocation) && allocation.group === null && isDivided(ledger, [allocation]))
      pack(ledger, allocation);
  } else pack(ledger, allocation);
}

/**
 * Whether no bucket could hold all of a job that may be divided then, whatever else runs there; of colocated parts of a gang: no placement
 * group could hold all of them.
 */
export function isDivided(ledger: Ledger, parts: readonly Allocation[]): boolean {
  if (parts.some(({ job }) => job.mayDivide !== true)) return false;
  const own = parts.map((part) => ({ part, candidates: new Set(candidatesFor(ledger, part)) }));
  const isColocated = parts.every(({ job }) => job.colocated);
  const buckets = new Set(own.flatMap(({ candidates }) => [...candidates]));
  const groups = Map.groupBy(buckets, (bucket) => (parts.length === 1 ? bucket : bucket.placementGroup));
  return ![...groups.values()].some((group) => {
    const left = new Map(group.map((bucket) => [bucket, mostNodesIn(ledger, bucket, isColocated)]));
    return own.every(({ part, candidates }) => {
      const has = (bucket: LedgerBucket) => (left.get(bucket) ?? 0) - nodesFor(part, bucket);
      const home = group.find((bucket) => candidates.has(bucket) && has(bucket) >= 0);
      if (home !== undefined) left.set(home, has(home));
      return home !== undefined;
    });
  });
}

function nodesFor({ job, shape, asked }: Allocation, bucket: LedgerBucket): number {
  if (job.packingStrategy === "scatter") return asked;
  return asked / capacityIn(bucket.exampleRow, demandIn(shape, bucket.columns), shape.exclusive);
}

function mostNodesIn(ledger: Ledger, bucket: LedgerBucket, isColocated: boolean): number {
  const nodes = nodesIn(ledger, [bucket]);
  if (!isColocated) return nodes;
  return bucket.placementGroup === null ? 0 : Math.min(nodes, bucket.maxPlacementGroupSize);
}

/**
 * Places a job in the bucket that was chosen for it, filled before any other of those that price may choose; the first
 * `above` of its buckets stand above price. What finds no room there is placed as usual.
 */
export function allocateIn(
  ledger: Ledger,
  allocation: Allocation,
  bucket: LedgerBucket,
  above: number,
): void {
  const candidates = candidatesFor(ledger, allocation);
  const at = candidates.indexOf(bucket);
  ledger.crossed = true;
  if (isWhole(allocation.job)) placeWholeIn(ledger, allocation, at, above);
  else {
    reuse(ledger, allocation, candidates, { from: 0, to: above });
    if (isWanting(allocation) && poolsAllow(ledger, allocation) && ledger.isOpenFor(bucket, 1)) {
      const search = openSearch(ledger, candidates, at, allocation);
      fillNodes(ledger, allocation, search);
      fillNewNodes(ledger, allocation, search);
    }
  }
  allocate(ledger, allocation);
}

/** Whether the job has to be placed completely, in one bucket, or not at all. The nodes of a gang that lies apart come from any. */
export function isWhole({ colocated, packingStrategy, gangApart }: Job): boolean {
  return colocated || (packingStrategy === "scatter" && gangApart !== true);
}

/** A shape that found no room finds none until somebody makes a new node. */
function failsAgain(ledger: Ledger, { shape, job }: Allocation): boolean {
  return shape.monotone && shape.failedAt === ledger.created && !isWhole(job);
}

function isWanting({ granted, asked, heldBy }: Allocation): boolean {
  return granted < asked && heldBy === null;
}

/** Fills what runs or is on order, in all buckets of a turn. */
function reuse(
  ledger: Ledger,
  allocation: Allocation,
  candidates: readonly LedgerBucket[],
  { from, to }: { readonly from: number; readonly to: number },
): void {
  for (let k = from; k < to && isWanting(allocation); k++) {
    const bucket = candidates[k] as LedgerBucket;
    if (bucket.nodes.length === 0 || !poolsAllow(ledger, allocation)) continue;
    const before = allocation.granted;
    fillNodes(ledger, allocation, openSearch(ledger, candidates, k, allocation, true));
    if (allocation.granted > before) noteCrossing(ledger, candidates, from, k);
  }
}

/** Whether a new node there makes room in another bucket: of a regular array, where a share of cores may be spot. */
function givesRoom({ charges }: LedgerBucket): boolean {
  return charges.some(({ perNode }) => perNode < 0);
}

/** Node by node, and after each those that come before and have room again. */
function fillInTurns(
  ledger: Ledger,
  allocation: Allocation,
  candidates: readonly LedgerBucket[],
  { from, at }: { readonly from: number; readonly at: number },
): void {
  while (isWanting(allocation)) {
    const before = allocation.granted;
    fillNewNodes(ledger, allocation, openSearch(ledger, candidates, at, allocation), 1);
    if (allocation.granted === before) return;
    for (let k = from; k < at && isWanting(allocation); k++)
      if (ledger.capacityOf(candidates[k] as LedgerBucket) >= 1)
        fillNewNodes(ledger, allocation, openSearch(ledger, candidates, k, allocation));
  }
}

function nodesIn(ledger: Ledger, buckets: readonly LedgerBucket[]): number {
  return buckets.reduce((sum, bucket) => sum + bucket.nodes.length + ledger.capacityOf(bucket), 0);
}

/** Places as many slots as there is room for, in all its buckets. */
export function pack(ledger: Ledger, allocation: Allocation): void {
  const { shape } = allocation;
  const before = allocation.granted;
  const refusals: Refusal[] = [];
  const candidates = candidatesFor(ledger, allocation);
  const missing = allocation.asked - allocation.granted;
  // All that it got would have to be taken back.
  if (allocation.job.packingStrategy === "scatter" && nodesIn(ledger, candidates) < missing) {
    allocation.refusals = ledger.refusals.of(candidates.map((bucket) => refusalOf(ledger, bucket)));
    return;
  }
  for (let from = 0; from < candidates.length && isWanting(allocation); ) {
    const to = endOfTurn(candidates, from);
    if (isShared(candidates, from)) reuse(ledger, allocation, candidates, { from, to });
    for (let k = from; k < to && isWanting(allocation); k++) {
      const search = openSearch(ledger, candidates, k, allocation);
      const { bucket } = search;
      if (poolsAllow(ledger, allocation) && ledger.isOpenFor(bucket, 1)) {
        if (!isShared(candidates, from) || bucket.deallocatedCount > 0) fillNodes(ledger, allocation, search);
        if (givesRoom(bucket)) fillInTurns(ledger, allocation, candidates, { from, at: k });
        else fillNewNodes(ledger, allocation, search);
      }
      if (allocation.heldBy === null && allocation.granted < allocation.asked)
        refusals.push(refusalOf(ledger, bucket));
    }
    from = to;
  }
  if (allocation.heldBy !== null) return;
  if (allocation.granted < allocation.asked) allocation.refusals = ledger.refusals.of(refusals);
  if (allocation.granted === before && shape.jobs > 1 && allocation.avoids === null) {
    shape.failedAt = ledger.created;
    shape.refusals = allocation.refusals;
  }
}
