import { firstRefusing } from "../constraints/any-constraint.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { open, vacantColumn } from "../ledger/columns.ts";
import type { Ledger, Taking } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { timesInto } from "../values/amounts.ts";
import { type Allocation, spend } from "./allocation.ts";
import { choose } from "./alternatives.ts";
import type { ExclusiveScope } from "./shape.ts";

/** What each slot of a job takes of a node. */
export interface Taken extends Taking {
  readonly exclusive: ExclusiveScope;
  readonly draws: readonly SharedConsumable[];
}

/**
 * What a slot of a job takes of a node that covers the `plain` demand: that, and what its alternatives add there. Null: the node will
 * not do.
 */
export function takenOn(
  ledger: Ledger,
  node: LedgerNode,
  allocation: Allocation,
  plain: Taken,
): Taken | null {
  const { profile } = allocation.shape;
  if (!spend(allocation, profile.checksPerNode)) return null;
  if (!accepts(ledger, node, allocation) || !ledger.isUsable(node)) return null;
  if (profile.alternatives.length === 0) return plain;
  const { table } = node.bucket;
  const choice = choose(profile.alternatives, node, {
    plain: plain.demand,
    left: (column) => table.get(node.position, column),
  });
  if (choice === null || "short" in choice) return null;
  const exclusive = stricter(plain.exclusive, choice.exclusive);
  const draws = [...plain.draws, ...choice.draws];
  return { demand: choice.demand, exclusive, closes: exclusive !== "none", draws };
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
  {
    bucket: { table },
    position,
  }: { readonly bucket: Pick<LedgerBucket, "table">; readonly position: number },
  { columns, amounts }: Demand,
  exclusive: ExclusiveScope,
): number {
  if (exclusive === "iteration") return 1;
  let slots = Number.POSITIVE_INFINITY;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as number;
    if (column === vacantColumn || column === open) continue;
    slots = Math.min(slots, timesInto(table.get(position, column), amounts[i] as number));
  }
  return slots;
}

/** The same of an untouched node. */
export function capacityIn(
  row: readonly number[],
  { columns, amounts }: Demand,
  exclusive: ExclusiveScope,
): number {
  if (exclusive === "iteration") return 1;
  let slots = Number.POSITIVE_INFINITY;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as number;
    if (column === vacantColumn || column === open) continue;
    slots = Math.min(slots, timesInto(row[column] ?? 0, amounts[i] as number));
  }
  return slots;
}
