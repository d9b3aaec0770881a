import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import type { BucketKind } from "./bucket-kinds.ts";
import type { Packing } from "./packing/packing-problem.ts";
import type { RepackProblem, SlotItem } from "./repack-problem.ts";
import { demandIn } from "./shape.ts";

/** Puts the slots of a problem where a packing has them. False: a limit did not allow a node that was worked out. */
export function applyPacking(
  ledger: Ledger,
  problem: RepackProblem,
  { loads }: Packing,
  vanishing: ReadonlySet<LedgerNode>,
): boolean {
  ledger.crossed = true;
  takeBack(ledger, problem.items);
  ledger.dropMade([...vanishing].filter(({ origin }) => origin === "new"));
  const nextThere = new Map<BucketKind, number>();
  const hands = problem.items.map((item) => new Hand(item));
  // Kind by kind: new nodes of one size with consecutive names are one request.
  for (const { kind: index, nodes, slots } of loads.toSorted((a, b) => a.kind - b.kind)) {
    const kind = problem.kinds[index] as BucketKind;
    for (let k = 0; k < nodes; k++) {
      const node = kind.there === null ? newNode(ledger, kind) : nodeThere(kind, nextThere);
      if (node === null) return false;
      for (const [item, count] of slots) hands[item]?.put(ledger, node, count);
    }
  }
  return true;
}

function takeBack(ledger: Ledger, items: readonly SlotItem[]): void {
  const taken = new Map<Allocation, Set<LedgerNode>>();
  for (const { slots: all } of items)
    for (const { allocation, node, slots } of all) {
      const demand = demandIn(allocation.shape, node.bucket.columns);
      ledger.release(node, allocation.job.name, slots, demand);
      allocation.granted -= slots;
      const nodes = taken.get(allocation) ?? new Set();
      taken.set(allocation, nodes.add(node));
    }
  for (const [allocation, nodes] of taken)
    allocation.placements = allocation.placements.filter(({ node }) => !nodes.has(node));
}

/** A deallocated node of the bucket, if it has one that is like new; else a new one. */
function newNode(ledger: Ledger, { bucket }: BucketKind): LedgerNode | null {
  if (ledger.capacityOf(bucket) < 1) return null;
  if (bucket.deallocatedCount === 0) return ledger.create(bucket);
  const asleep = bucket.nodes.find(
    (node) => node.origin === "deallocated" && !node.takesNoJobs && node.stock === bucket.example.stock,
  );
  return asleep ?? ledger.create(bucket);
}

function nodeThere(kind: BucketKind, next: Map<BucketKind, number>): LedgerNode | null {
  const at = next.get(kind) ?? 0;
  next.set(kind, at + 1);
  return kind.nodes[at] ?? null;
}

/** Slots of an item, dealt out to its jobs in their order. */
class Hand {
  readonly #left: { readonly allocation: Allocation; slots: number }[];
  #at = 0;

  constructor({ slots }: SlotItem) {
    this.#left = slots.map(({ allocation, slots: count }) => ({ allocation, slots: count }));
  }

  put(ledger: Ledger, node: LedgerNode, count: number): void {
    for (let missing = count; missing > 0; ) {
      const next = this.#left[this.#at];
      if (next === undefined) return;
      const slots = Math.min(missing, next.slots);
      place(ledger, next.allocation, node, slots);
      missing -= slots;
      next.slots -= slots;
      if (next.slots === 0) this.#at++;
    }
  }
}

/** Puts slots of a packed job on a node that covers them. */
export function place(ledger: Ledger, allocation: Allocation, node: LedgerNode, slots: number): void {
  const { job, shape, placements } = allocation;
  const demand = demandIn(shape, node.bucket.columns);
  ledger.take(node, job.name, slots, { demand, closes: shape.exclusive !== "none" });
  allocation.granted += slots;
  const last = placements.at(-1);
  if (last?.node === node) placements[placements.length - 1] = { node, slots: last.slots + slots };
  else placements.push({ node, slots });
}
