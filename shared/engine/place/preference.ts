import { firstRefusing, mayReorder, reweigh } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Profile } from "./profile.ts";

/** CycleCloud's priority of an array that sets none, once another array sets one. */
const defaultPriority = 1;

/**
 * The buckets (in order, see `inOrder`) that a profile can use, best first: on-premise ones, then by the arrays' priority, then by weight, then
 * in order of arrival. A bucket starts with (buckets - index) and every constraint reweighs it in turn.
 */
export function candidatesOf(profile: Profile, buckets: readonly LedgerBucket[]): readonly LedgerBucket[] {
  const ordered = [...profile.shared, ...profile.alternatives].filter(mayReorder);
  if (ordered.length === 0) return buckets.filter((bucket) => mayUse(profile, bucket));
  return buckets
    .filter((bucket) => mayUse(profile, bucket))
    .map((bucket) => ({ bucket, weight: weightOf(ordered, bucket, buckets.length - bucket.index) }))
    .sort((a, b) => compareRank(a.bucket, b.bucket) || b.weight - a.weight || a.bucket.index - b.bucket.index)
    .map(({ bucket }) => bucket);
}

/**
 * What stands above price: buckets of one tier are as good as each other for a profile but for the order of their arrival. On-premise
 * hosts, the priority of the array, and the options of the constraints make the tiers.
 */
export function tierOf({ shared, alternatives }: Profile, bucket: LedgerBucket): string {
  const ordered = [...shared, ...alternatives].filter(mayReorder);
  const rank = bucket.closed === "on-premise" ? "on-premise" : priorityOf(bucket);
  return `${rank} ${weightOf(ordered, bucket, 0)}`;
}

/** Buckets as a profile without preferences has them. */
export function inOrder(buckets: readonly LedgerBucket[]): readonly LedgerBucket[] {
  return buckets.toSorted((a, b) => compareRank(a, b) || a.index - b.index);
}

/** On-premise hosts differ from one another, so that no example can speak for them: each is asked by itself. */
function mayUse(profile: Profile, bucket: LedgerBucket): boolean {
  if (bucket.closed === "on-premise") return true;
  const { example } = bucket;
  return (
    firstRefusing(profile.shared, example) === null && firstRefusing(profile.alternatives, example) === null
  );
}

function compareRank(a: LedgerBucket, b: LedgerBucket): number {
  const premise = Number(b.closed === "on-premise") - Number(a.closed === "on-premise");
  return premise || priorityOf(b) - priorityOf(a);
}

function priorityOf(bucket: LedgerBucket): number {
  return bucket.nodeArray?.priority ?? defaultPriority;
}

function weightOf(constraints: readonly Constraint[], bucket: LedgerBucket, start: number): number {
  return constraints.reduce((weight, constraint) => reweigh(constraint, bucket.example, weight), start);
}
