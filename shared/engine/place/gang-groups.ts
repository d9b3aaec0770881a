import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { candidatesFor } from "./candidates.ts";

/**
 * The placement groups to try for jobs of a gang that have to be in one, in this order. Where one of them runs, its group alone. Groups of
 * `homes`, the buckets that price chose, come first. Null alone: there is no group that all of them may use.
 */
export function groupsFor(
  ledger: Ledger,
  parts: readonly Allocation[],
  homes: readonly (LedgerBucket | undefined)[],
): Iterable<string | null> {
  const [running] = parts.flatMap(({ placements }) => placements);
  if (running !== undefined) return [running.node.bucket.placementGroup];
  const lists = parts.map((part) => candidatesFor(ledger, part));
  const groups = lists.map((list) => new Set(list.flatMap(({ placementGroup }) => placementGroup ?? [])));
  const usable = new Set([...(groups[0] ?? [])].filter((group) => groups.every((each) => each.has(group))));
  if (usable.size === 0) return [null];
  const chosen = homes.flatMap((home) => home?.placementGroup ?? []).filter((group) => usable.has(group));
  const buckets = Map.groupBy(new Set(lists.flat()), ({ placementGroup }) => placementGroup);
  // Groups of one kind would all refuse alike: the first of each is tried.
  const kinds = Map.groupBy(usable, (group) => kindOf(ledger, group, buckets.get(group) ?? []));
  return new Set([...chosen, ...[...kinds.values()].flatMap(([group]) => group ?? [])]);
}

/** The same for groups without nodes that have the same arrays, sizes and room. A group with nodes is a kind of its own. */
function kindOf(ledger: Ledger, group: string, buckets: readonly LedgerBucket[]): string {
  if (buckets.some(({ nodes }) => nodes.length > 0)) return group;
  return JSON.stringify(
    buckets.map((bucket) => [bucket.name.nodeArray, bucket.name.vmSize, ledger.capacityOf(bucket)]),
  );
}
