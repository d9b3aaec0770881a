import { firstRefusing } from "../constraints/any-constraint.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { type Allocation, spend } from "./allocation.ts";
import { capacityOn, takenOn } from "./offer.ts";
import { chargeOwners, placesLeft } from "./owner-cores.ts";
import { behindDeallocated, firstPosition, nextPosition, type Search } from "./search.ts";

/** Puts slots on existing nodes, each as full as it gets (pack) or with one slot (scatter). */
export function fillNodes(ledger: Ledger, allocation: Allocation, search: Search): void {
  const { bucket, shape } = search;
  let position = firstPosition(search);
  let stillFits = -1;
  while (position >= 0) {
    const node = bucket.nodes[position] as LedgerNode;
    if (search.isReuse && node.origin === "deallocated") {
      if (stillFits < 0) stillFits = position;
      position = nextPosition(search, behindDeallocated(search, position));
      continue;
    }
    const placed = place(ledger, allocation, search, node);
    const full = allocation.granted >= allocation.asked;
    // Without licences no node will do, and without checks none can be asked, but that is not the fault of the nodes.
    const drained = !placed && (allocation.heldBy !== null || !poolsAllow(ledger, allocation));
    if (stillFits < 0 && (drained || (placed && (full || search.perNode === 1)))) stillFits = position;
    if (full || drained) break;
    // A packed node is asked again: what its alternatives still hold may take more.
    position = nextPosition(search, placed && search.perNode > 1 ? position : position + 1);
  }
  search.at = stillFits >= 0 ? stillFits : bucket.nodes.length;
  if (shape.cursors !== null && !hasOwnNodes(allocation)) shape.cursors[search.candidate] = search.at;
}

/** Makes new nodes for what is left, as far as the limits allow, `most` of them. */
export function fillNewNodes(
  ledger: Ledger,
  allocation: Allocation,
  search: Search,
  most = Number.POSITIVE_INFINITY,
): void {
  const { bucket, shape } = search;
  const isWanted = () =>
    allocation.granted < allocation.asked &&
    ledger.capacityOf(bucket) >= 1 &&
    allocation.heldBy === null &&
    poolsAllow(ledger, allocation);
  if (!isWanted() || !spend(allocation, shape.profile.checksPerNode)) return;
  if (firstRefusing(shape.profile.own, bucket.example) !== null) return;
  for (let made = 0; made < most && isWanted(); made++) {
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
export function poolsAllow(ledger: Ledger, { shape, granted }: Allocation): boolean {
  return ledger.pools.slotsLeft(shape.profile.draws, granted > 0) >= 1;
}

/** A scattered job that runs already wants further nodes, not the same again. */
export function isAvoided({ runsOn, avoids }: Allocation, { perNode }: Search, node: LedgerNode): boolean {
  return avoids?.has(node) === true || (perNode === 1 && runsOn?.has(node) === true);
}

/** Whether some nodes refuse the job for what it holds: its search teaches nothing about its shape. */
export function hasOwnNodes({ job, avoids }: Allocation): boolean {
  return job.executingHostnames.length > 0 || avoids !== null;
}

function place(ledger: Ledger, allocation: Allocation, search: Search, node: LedgerNode): boolean {
  const { job } = allocation;
  const wanted = Math.min(allocation.asked - allocation.granted, search.perNode);
  if (isAvoided(allocation, search, node)) return false;
  const drawnOnce = allocation.granted > 0;
  const taken = takenOn(ledger, node, allocation, search);
  if (taken === null) return false;
  const { demand, exclusive, draws } = taken;
  let slots = Math.min(wanted, capacityOn(node, demand, exclusive), ledger.pools.slotsLeft(draws, drawnOnce));
  if (slots >= 1 && allocation.owners.length > 0) slots = placesLeft(allocation, node, taken, slots);
  if (slots < 1) return false;
  ledger.take(node, job.name, slots, taken);
  ledger.draw(draws, slots, !drawnOnce);
  chargeOwners(allocation, node, taken, slots);
  addPlacement(allocation, node, slots);
  return true;
}

/** One entry per node, also when it was asked twice for what its alternatives hold. */
function addPlacement(allocation: Allocation, node: LedgerNode, slots: number): void {
  const { placements } = allocation;
  const last = placements.at(-1);
  if (last === undefined) allocation.placements = [{ node, slots }];
  else if (last.node === node) placements[placements.length - 1] = { node, slots: last.slots + slots };
  else placements.push({ node, slots });
  allocation.granted += slots;
}
