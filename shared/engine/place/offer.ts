import { firstRefusing } from "../constraints/any-constraint.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { open, vacantColumn } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { timesInto } from "../values/amounts.ts";
import { type Allocation, spend } from "./allocation.ts";
import { choose, withChoice } from "./alternatives.ts";
import type { ExclusiveScope } from "./shape.ts";

/** How many slots of a shape a node can take now. */
export interface Offer {
  /** 0: nothing. */
  readonly slots: number;
  readonly demand: Demand;
  readonly closes: boolean;
  readonly draws: readonly SharedConsumable[];
}

const noOffer: Offer = { slots: 0, demand: { columns: [], amounts: [] }, closes: false, draws: [] };

/** Asks a node that covers the demand for up to `wanted` slots. Changes nothing: ask, then commit. */
export function offerOf(
  ledger: Ledger,
  node: LedgerNode,
  ask: {
    readonly allocation: Allocation;
    readonly demand: Demand;
    readonly wanted: number;
    readonly drawnOnce: boolean;
  },
): Offer {
  const { allocation, demand } = ask;
  const { shape } = allocation;
  const { profile } = shape;
  if (!spend(allocation, profile.checksPerNode)) return noOffer;
  if (!accepts(ledger, node, allocation) || !ledger.isUsable(node)) return noOffer;
  if (profile.alternatives.length === 0) {
    const slots = Math.min(
      ask.wanted,
      capacityOn(node, demand, shape.exclusive),
      ledger.pools.slotsLeft(profile.draws, ask.drawnOnce),
    );
    return { slots, demand, closes: shape.exclusive !== "none", draws: profile.draws };
  }
  const choice = choose(profile.alternatives, node);
  if (choice === null) return noOffer;
  const exclusive = stricter(shape.exclusive, choice.exclusive);
  const whole = withChoice(demand, choice, node);
  const draws = [...profile.draws, ...choice.draws];
  const room = node.bucket.table.fits(node.position, whole) ? capacityOn(node, whole, exclusive) : 0;
  const slots = Math.min(ask.wanted, room, ledger.pools.slotsLeft(draws, ask.drawnOnce));
  return { slots, demand: whole, closes: exclusive !== "none", draws };
}

function stricter(a: ExclusiveScope, b: ExclusiveScope): ExclusiveScope {
  if (a === "iteration" || b === "iteration") return "iteration";
  return a === "task" || b === "task" ? "task" : "none";
}

/** Whether the constraints that take nothing hold on this node. */
export function accepts(ledger: Ledger, node: LedgerNode, allocation: Allocation): boolean {
  const { profile } = allocation.shape;
  const { example } = node.bucket;
  if (node.stock !== example.stock || node.bucket.closed === "on-premise") {
    let known = profile.shared.length === 0 || profile.stocks?.get(node.stock);
    if (known === undefined) {
      if (!spend(allocation, profile.checksPerBucket)) return false;
      known = firstRefusing(profile.shared, node) === null;
      if (ledger.memory.take(entriesPerAnswer)) {
        profile.stocks ??= new Map();
        profile.stocks.set(node.stock, known);
      }
    }
    if (!known) return false;
  }
  return profile.own.length === 0 || firstRefusing(profile.own, node) === null;
}

/** An answer that is remembered takes more than a number. */
export const entriesPerAnswer = 5;

/** Slots that a node has room for; infinite for a demand that takes nothing. */
export function capacityOn(
  { bucket: { table }, position }: LedgerNode,
  demand: Demand,
  exclusive: ExclusiveScope,
): number {
  return slotsIn((column) => table.get(position, column), demand, exclusive);
}

/** The same of an untouched node. */
export function capacityIn(row: readonly number[], demand: Demand, exclusive: ExclusiveScope): number {
  return slotsIn((column) => row[column] ?? 0, demand, exclusive);
}

function slotsIn(
  leftOf: (column: number) => number,
  { columns, amounts }: Demand,
  exclusive: ExclusiveScope,
): number {
  if (exclusive === "iteration") return 1;
  let slots = Number.POSITIVE_INFINITY;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] ?? 0;
    if (column === vacantColumn || column === open) continue;
    slots = Math.min(slots, timesInto(leftOf(column), amounts[i] ?? 0));
  }
  return slots;
}
