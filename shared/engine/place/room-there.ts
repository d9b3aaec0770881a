import { firstResource } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import type { LooseSlots } from "./loose-slots.ts";
import { demandIn } from "./shape.ts";

/** Sums of fractions need not be exact. */
const slack = 1 + 1e-6;

/**
 * Whether the slots on some nodes surely find no room on all the others, however these are packed: together they want more of
 * a resource than is left there. Moving slots about leaves that sum as it is. Asked first, because it takes no more than a sum:
 * drawing up the packing takes as long as placing the jobs did.
 */
export function surelyHasNoRoom(
  { buckets }: Pick<Ledger, "buckets">,
  loose: readonly LooseSlots[],
  from: ReadonlySet<LedgerNode>,
): boolean {
  const wanted = wantedOn(loose, from);
  const left = leftBeside(buckets, from);
  const mixed = inSeveralUnits(buckets);
  return [...wanted].some(
    ([resource, amount]) => !mixed.has(resource) && amount > (left.get(resource) ?? 0) * slack,
  );
}

/** By resource. */
type Amounts = ReadonlyMap<string, number>;

function wantedOn(loose: readonly LooseSlots[], from: ReadonlySet<LedgerNode>): Amounts {
  const wanted = new Map<string, number>();
  for (const { node, allocation, slots } of loose) {
    if (!from.has(node)) continue;
    const { columns } = node.bucket;
    const demand = demandIn(allocation.shape, columns);
    for (const [index, column] of demand.columns.entries()) {
      const resource = columns.names[column - firstResource];
      if (resource !== undefined)
        wanted.set(resource, (wanted.get(resource) ?? 0) + (demand.amounts[index] ?? 0) * slots);
    }
  }
  return wanted;
}

function leftBeside(buckets: readonly LedgerBucket[], from: ReadonlySet<LedgerNode>): Amounts {
  const left = new Map<string, number>();
  for (const { columns, nodes, table } of buckets)
    for (const [resource, column] of columns.byName) {
      let sum = 0;
      for (const node of nodes) if (!from.has(node)) sum += Math.max(0, table.get(node.position, column));
      left.set(resource, (left.get(resource) ?? 0) + sum);
    }
  return left;
}

/** What one bucket counts in pieces and another in bytes has no sum. */
function inSeveralUnits(buckets: readonly LedgerBucket[]): ReadonlySet<string> {
  const units = new Map<string, number | undefined>();
  const mixed = new Set<string>();
  for (const { columns } of buckets)
    for (const [resource, column] of columns.byName) {
      const unit = columns.units[column];
      if (units.has(resource) && units.get(resource) !== unit) mixed.add(resource);
      units.set(resource, unit);
    }
  return mixed;
}
