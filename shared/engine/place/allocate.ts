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
import type { Ledger } from "../ledger/ledger.ts";
import type { Refusal } from "../ledger/ledger-bucket.ts";
import type { Job } from "../model/job.ts";
import type { Allocation } from "./allocation.ts";
import { candidatesFor, refusalOf } from "./candidates.ts";
import { fillNewNodes, fillNodes, poolsAllow } from "./fill.ts";
import { openSearch } from "./search.ts";
import { placeWhole } from "./whole.ts";

/** Places what is left to place of a job. */
export function allocate(ledger: Ledger, allocation: Allocation): void {
  if (allocation.granted >= allocation.asked || allocation.heldBy !== null) return;
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
  const candidates = candidatesFor(ledger, allocation);
  for (let k = 0; k < candidates.length && allocation.granted < allocation.asked; k++) {
    const search = openSearch(ledger, candidates, k, allocation);
    const { bucket } = search;
    if (poolsAllow(ledger, allocation) && ledger.isOpenFor(bucket, 1)) {
      fillNodes(ledger, allocation, search);
      fillNewNodes(ledger, allocation, search);
    }
    if (allocation.heldBy !== null) break;
    if (allocation.granted < allocation.asked) refusals.push(refusalOf(ledger, bucket));
  }
  if (allocation.heldBy !== null) return;
  if (allocation.granted < allocation.asked) allocation.refusals = ledger.refusals.of(refusals);
  if (allocation.granted === before && shape.jobs > 1) {
    shape.failedAt = ledger.created;
    shape.refusals = allocation.refusals;
  }
}
