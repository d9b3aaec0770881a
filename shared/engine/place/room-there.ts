import type { Demand } from "../ledger/availability.ts";
import type { Columns } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { demandIn } from "./shape.ts";

/** Sums of fractions need not be exact. */
const slack = 1 + 1e-6;

/**
 * Whether the slots that jobs have on some nodes surely find no room on all the others, however these are packed: together they want
 * more of a resource than is left there. Moving slots about leaves that sum as it is. Asked first, because it takes no more than a sum:
 * drawing up the packing takes as long as placing the jobs did.
 */
export function surelyHasNoRoom(
  { buckets }: Pick<Ledger, "buckets">,
  jobs: readonly Placed[],
  isFrom: (node: LedgerNode) => boolean,
  /** How often that much: where they want ten times what is left, at most a tenth of them finds room. */
  times = 1,
): boolean {
  const wanted = wantedOn(jobs, isFrom);
  const left = leftBeside(buckets, isFrom);
  const mixed = inSeveralUnits(buckets);
  return [...wanted].some(
    ([resource, amount]) => !mixed.has(resource) && amount > (left.get(resource) ?? 0) * slack * times,
  );
}

type Placed = Pick<Allocation, "shape" | "placements">;

/** By resource. */
type Amounts = ReadonlyMap<string, number>;

function wantedOn(jobs: readonly Placed[], isFrom: (node: LedgerNode) => boolean): Amounts {
  const sums = new Map<Columns, number[]>();
  for (const { shape, placements } of jobs)
    for (let k = 0; k < placements.length; ) {
      // Slots of a job on nodes with the same columns are added at once: mostly all of them.
      const { columns } = (placements[k] as Placed["placements"][number]).node.bucket;
      let total = 0;
      for (; k < placements.length; k++) {
        const { node, slots } = placements[k] as Placed["placements"][number];
        if (node.bucket.columns !== columns) break;
        if (isFrom(node)) total += slots;
      }
      if (total === 0) continue;
      const sum = sums.get(columns) ?? new Array<number>(columns.count).fill(0);
      sums.set(columns, sum);
      addTo(sum, demandIn(shape, columns), total);
    }
  const wanted = new Map<string, number>();
  for (const [{ byName }, sum] of sums)
    for (const [resource, column] of byName)
      wanted.set(resource, (wanted.get(resource) ?? 0) + (sum[column] ?? 0));
  return wanted;
}

function addTo(sum: number[], { columns, amounts }: Demand, slots: number): void {
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as number;
    sum[column] = (sum[column] as number) + (amounts[i] as number) * slots;
  }
}

function leftBeside(buckets: readonly LedgerBucket[], isFrom: (node: LedgerNode) => boolean): Amounts {
  const left = new Map<string, number>();
  for (const { columns, nodes, table } of buckets)
    for (const [resource, column] of columns.byName) {
      let sum = 0;
      for (const node of nodes) if (!isFrom(node)) sum += Math.max(0, table.get(node.position, column));
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
