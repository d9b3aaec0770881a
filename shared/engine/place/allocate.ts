/**
 * Allocation is first fit over buckets in order of preference, and within a bucket over its nodes in name order, then
 * new nodes (vector bin packing, first fit in the order of the demand). No bound on waste is promised: the order of the
 * queue and of the buckets means something to users, so nothing is sorted by size, and first fit has anomalies
 * (a larger cluster can pack worse). What is promised: no limit is exceeded, no amount goes below zero, and an
 * all-or-nothing job leaves no trace when it fails.
 *
 * Cost: what a node has left only shrinks, so each shape searches each bucket once however many jobs have it, and a
 * search skips full nodes in a tree (`availability.ts`). About O((jobs x buckets + placements) x log nodes).
 */
import { covers, type Demand } from "../ledger/availability.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { LedgerNode } from "../ledger/ledger-node.ts";
import { firstRefusing } from "../ledger/match.ts";
import type { Refusal } from "../ledger/refusal.ts";
import type { Job } from "../model/job.ts";
import { bindingCharge, nodesLeft } from "../model/quota.ts";
import { offerOf } from "./offer.ts";
import { candidatesOf } from "./preference.ts";
import { demandIn, type Shape } from "./shape.ts";

export interface NodeSlots {
  readonly node: LedgerNode;
  readonly slots: number;
}

/** What became of a job, before it is worded. */
export interface Allocation {
  readonly job: Job;
  readonly shape: Shape;
  /** Slots for `pack`, nodes for `scatter`. */
  readonly asked: number;
  granted: number;
  placements: NodeSlots[];
  refusals: readonly Refusal[];
}

/** Places what is left to place of a job. */
export function allocate(ledger: Ledger, allocation: Allocation): void {
  if (allocation.granted >= allocation.asked) return;
  if (failsAgain(ledger, allocation)) allocation.refusals = allocation.shape.refusals;
  else if (isWhole(allocation.job)) placeWhole(ledger, allocation);
  else pack(ledger, allocation);
}

/** Whether the job has to be placed completely, in one bucket, or not at all. */
function isWhole(job: Job): boolean {
  return job.colocated || job.packingStrategy === "scatter";
}

/** A shape that found no room finds none until somebody makes a new node. */
function failsAgain(ledger: Ledger, { shape, job }: Allocation): boolean {
  return shape.monotone && shape.failedAt === ledger.created && !isWhole(job);
}

function pack(ledger: Ledger, allocation: Allocation): void {
  const { shape } = allocation;
  const before = allocation.granted;
  const refusals: Refusal[] = [];
  const candidates = candidatesFor(ledger, shape);
  for (let k = 0; k < candidates.length && allocation.granted < allocation.asked; k++) {
    const search = openSearch(candidates, k, allocation);
    if (poolsAllow(ledger, allocation) && ledger.isOpenFor(search.bucket, 1)) {
      fillNodes(ledger, allocation, search);
      fillNewNodes(ledger, allocation, search);
    }
    if (allocation.granted < allocation.asked) refusals.push(refusalOf(ledger, search.bucket));
  }
  if (allocation.granted < allocation.asked) allocation.refusals = refusals;
  if (allocation.granted === before) {
    shape.failedAt = ledger.created;
    shape.refusals = refusals;
  }
}

/** One bucket being searched for one shape. */
interface Search {
  readonly bucket: LedgerBucket;
  readonly shape: Shape;
  readonly demand: Demand;
  /** Place of the bucket among the shape's candidates. */
  readonly candidate: number;
  /** Slots wanted of one node: all that are missing, or one. */
  readonly perNode: number;
  /** The first node that may still fit. */
  at: number;
}

function openSearch(
  candidates: readonly LedgerBucket[],
  candidate: number,
  { shape, job }: Allocation,
): Search {
  const bucket = candidates[candidate] as LedgerBucket;
  return {
    bucket,
    shape,
    demand: demandIn(shape, bucket.example.stock.units),
    candidate,
    perNode: job.packingStrategy === "scatter" ? 1 : Number.POSITIVE_INFINITY,
    at: shape.monotone ? (shape.cursors[candidate] ?? NOT_SEARCHED) : 0,
  };
}

/** Cursor of a bucket that the shape never searched. */
const NOT_SEARCHED = -1;

/** The first node to ask: where the shape stopped last time, or where what is known of the bucket says. */
function firstPosition({ bucket, demand, at }: Search): number {
  const { table, memory } = bucket;
  if (at !== NOT_SEARCHED) return table.firstFit(at, demand);
  const position = table.firstFit(memory.startFor(demand), demand);
  memory.learn(demand, position < 0 ? bucket.nodes.length : position);
  return position;
}

/** Puts slots on existing nodes, each as full as it gets (pack) or with one slot (scatter). */
function fillNodes(ledger: Ledger, allocation: Allocation, search: Search): void {
  const { bucket, demand } = search;
  let position = firstPosition(search);
  let stillFits = -1;
  while (position >= 0) {
    const node = bucket.nodes[position] as LedgerNode;
    const placed = place(ledger, allocation, search, node);
    const full = allocation.granted >= allocation.asked;
    // Without licences no node will do, but that is not the fault of the nodes.
    const drained = !placed && !poolsAllow(ledger, allocation);
    if (stillFits < 0 && (drained || (placed && (full || search.perNode === 1)))) stillFits = position;
    if (full || drained) break;
    // A packed node is asked again: what its alternatives still hold may take more.
    position = bucket.table.firstFit(placed && search.perNode > 1 ? position : position + 1, demand);
  }
  search.at = stillFits >= 0 ? stillFits : bucket.nodes.length;
  // A job that runs already is refused by the nodes that it holds: its search teaches nothing about its shape.
  if (allocation.job.executingHostnames.length === 0) search.shape.cursors[search.candidate] = search.at;
}

/** Makes new nodes for what is left, as far as the limits allow. */
function fillNewNodes(ledger: Ledger, allocation: Allocation, search: Search): void {
  const { bucket, shape } = search;
  if (firstRefusing(shape.profile.own, bucket.example) !== null) return;
  while (
    allocation.granted < allocation.asked &&
    ledger.capacityOf(bucket) >= 1 &&
    poolsAllow(ledger, allocation)
  ) {
    const node = ledger.create(bucket);
    if (!place(ledger, allocation, search, node)) {
      ledger.discard(node);
      return;
    }
    refill(ledger, allocation, search, node);
  }
}

/** Asks a node again, as `fillNodes` does: after the first alternative is used up, another may still hold. */
function refill(ledger: Ledger, allocation: Allocation, search: Search, node: LedgerNode): void {
  const { bucket, demand, shape, perNode } = search;
  if (perNode === 1 || shape.profile.alternatives.length === 0) return;
  while (allocation.granted < allocation.asked && bucket.table.fits(node.position, demand))
    if (!place(ledger, allocation, search, node)) return;
}

/** Asked before a node is made: a node for a job without licences would stay empty. */
function poolsAllow(ledger: Ledger, { shape, granted }: Allocation): boolean {
  return ledger.pools.slotsLeft(shape.profile.draws, granted > 0) >= 1;
}

function place(ledger: Ledger, allocation: Allocation, search: Search, node: LedgerNode): boolean {
  const { job, shape } = allocation;
  const wanted = Math.min(allocation.asked - allocation.granted, search.perNode);
  if (job.executingHostnames.length > 0 && search.perNode === 1 && holds(allocation, node)) return false;
  const drawnOnce = allocation.granted > 0;
  const offer = offerOf(ledger, node, { shape, demand: search.demand, wanted, drawnOnce });
  if (offer.slots < 1) return false;
  ledger.take({ node, job: job.name, slots: offer.slots, demand: offer.demand, closes: offer.closes });
  ledger.draw(offer.draws, offer.slots, !drawnOnce);
  addPlacement(allocation, node, offer.slots);
  return true;
}

/** One entry per node, also when it was asked twice for what its alternatives hold. */
function addPlacement(allocation: Allocation, node: LedgerNode, slots: number): void {
  const { placements } = allocation;
  const last = placements.at(-1);
  if (last?.node === node) placements[placements.length - 1] = { node, slots: last.slots + slots };
  else placements.push({ node, slots });
  allocation.granted += slots;
}

/** A scattered job that runs already wants further nodes, not the same again. */
function holds({ placements }: Allocation, node: LedgerNode): boolean {
  return placements.some((placement) => placement.node === node);
}

/** Tries one bucket after the other for the whole job; an attempt that falls short is undone. */
function placeWhole(ledger: Ledger, allocation: Allocation): void {
  const { shape, job } = allocation;
  const refusals: Refusal[] = [];
  const candidates = candidatesFor(ledger, shape);
  for (let k = 0; k < candidates.length; k++) {
    const bucket = candidates[k] as LedgerBucket;
    const refusal = job.colocated ? notColocating(bucket, allocation) : null;
    if (refusal === null && attemptWhole(ledger, allocation, openSearch(candidates, k, allocation))) return;
    refusals.push(refusal ?? refusalOf(ledger, bucket));
  }
  allocation.refusals = refusals;
}

function attemptWhole(ledger: Ledger, allocation: Allocation, search: Search): boolean {
  const { bucket, shape, candidate } = search;
  const missing = allocation.asked - allocation.granted;
  if (!poolsAllow(ledger, allocation) || !mayHold(ledger, search, missing)) return false;
  const before = { granted: allocation.granted, placements: allocation.placements, cursor: search.at };
  allocation.placements = [...before.placements];
  const kept = ledger.attempt(() => {
    fillNodes(ledger, allocation, search);
    fillNewNodes(ledger, allocation, search);
    return allocation.granted >= allocation.asked && fitsGroup(allocation, bucket);
  });
  if (kept) return true;
  allocation.granted = before.granted;
  allocation.placements = before.placements;
  shape.cursors[candidate] = before.cursor;
  if (!shape.monotone) return false;
  shape.wholeFailures ??= [];
  shape.wholeFailures[failureIndex(candidate, search.perNode)] = { missing, nodes: bucket.nodes.length };
  return false;
}

/** Nodes (scatter) and slots (colocated pack) are remembered apart. */
function failureIndex(candidate: number, perNode: number): number {
  return 2 * candidate + (perNode === 1 ? 1 : 0);
}

/** Whether trying is worth it: an attempt costs as much as the job is large. */
function mayHold(
  ledger: Ledger,
  { bucket, shape, candidate, at, perNode }: Search,
  missing: number,
): boolean {
  const failure = shape.wholeFailures?.[failureIndex(candidate, perNode)];
  if (failure !== undefined && missing >= failure.missing && bucket.nodes.length === failure.nodes)
    return false;
  const fewest = perNode === 1 ? missing : 1;
  const reachable = bucket.nodes.length - Math.max(0, at) + ledger.capacityOf(bucket);
  return reachable >= fewest && ledger.isOpenFor(bucket, fewest);
}

/** A colocated job's nodes are in one group, no more of them than it may hold. */
function fitsGroup({ job, placements }: Allocation, bucket: LedgerBucket): boolean {
  return !job.colocated || placements.length <= bucket.maxPlacementGroupSize;
}

function notColocating(bucket: LedgerBucket, { job, asked, placements }: Allocation): Refusal | null {
  const limit = "placement-group";
  if (bucket.placementGroup === null || placements.some(({ node }) => node.bucket !== bucket))
    return { code: "NotInAPlacementGroup", bucket, limit: null, asked, left: 0 };
  const size = bucket.maxPlacementGroupSize;
  if (job.packingStrategy === "scatter" && asked > size)
    return { code: "PlacementGroupTooSmall", bucket, limit, asked, left: size };
  return null;
}

/** The candidates whose example has the amounts, in order of preference. On-premise hosts are asked one by one. */
function candidatesFor(ledger: Ledger, shape: Shape): readonly LedgerBucket[] {
  if (shape.candidates !== null) return shape.candidates;
  const { profile } = shape;
  profile.candidates ??= candidatesOf(profile, ledger.buckets);
  const suits = (bucket: LedgerBucket): boolean =>
    bucket.closed === "on-premise" || exampleCovers(bucket, demandIn(shape, bucket.example.stock.units));
  // Most shapes suit every bucket: then they share one list.
  shape.candidates = profile.candidates.every(suits) ? profile.candidates : profile.candidates.filter(suits);
  return shape.candidates;
}

function exampleCovers(bucket: LedgerBucket, { columns, amounts }: Demand): boolean {
  const born = bucket.example.stock.amounts;
  for (let i = 0; i < columns.length; i++)
    if (!covers(born[columns[i] as number] as number, amounts[i] as number)) return false;
  return true;
}

/** Why a bucket had no more room. The same object as long as nothing changed there. */
function refusalOf(ledger: Ledger, bucket: LedgerBucket): Refusal {
  const binding = bucket.closed === null ? bindingCharge(bucket.charges) : null;
  const left = ledger.capacityOf(bucket);
  const last = bucket.lastRefusal;
  if (last !== null && last.left === left && last.limit === (binding?.limit ?? null)) return last;
  const code =
    bucket.closed === "invalid" ? "InvalidBucket" : bucket.closed === null ? "NoCapacity" : "OutOfCapacity";
  const limit = binding === null || nodesLeft(binding) === Number.POSITIVE_INFINITY ? null : binding.limit;
  bucket.lastRefusal = { code, bucket, limit, asked: 0, left };
  return bucket.lastRefusal;
}
