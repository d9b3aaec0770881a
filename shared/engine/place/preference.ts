import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { firstOption, firstRefusing, firstSatisfied, refusing } from "../ledger/match.ts";
import type { Subject } from "../ledger/subject.ts";
import type { Constraint } from "../model/constraint.ts";
import type { ConstraintKind, ConstraintOf } from "../model/constraint-kinds.ts";
import type { Profile } from "./profile.ts";

/** Each place from the end of a list of options is worth this much. */
const placeWeight = 100;
/** More than there are buckets, and than lists of options add. */
const firstArrays = 1e9;
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

/** How constraints of one kind change a bucket's weight. */
interface Preference<C extends Constraint> {
  /** Whether it can weigh one bucket other than the next: a single option adds the same to every bucket that it allows. */
  mayReorder(constraint: C): boolean;
  reweigh(constraint: C, example: Subject, weight: number): number;
}

/** Null: constraints of the kind leave the order as it is. */
const preferences: { readonly [K in ConstraintKind]: Preference<ConstraintOf<K>> | null } = {
  "resource-options": {
    mayReorder: ({ options }) => options.length > 1,
    reweigh: ({ options, resource }, example, weight) =>
      placed(options.length, firstOption(options, example.resource(resource)), weight),
  },
  "property-options": {
    mayReorder: ({ options }) => options.length > 1,
    reweigh: ({ options, property }, example, weight) =>
      placed(options.length, firstOption(options, example.property(property)), weight),
  },
  or: {
    mayReorder: () => true,
    reweigh: ({ any }, example, weight) => placed(any.length, firstSatisfied(any, example), weight),
  },
  "capacity-failure-backoff": {
    mayReorder: () => true,
    reweigh: (constraint, example, weight) => (refusing(constraint, example) === null ? weight : 0),
  },
  "array-choice": {
    mayReorder: ({ first }) => first.length > 0,
    reweigh: ({ first }, example, weight) =>
      first.some((name) => name === example.property("nodearray")) ? weight + firstArrays : weight,
  },
  "minimum-resource": null,
  exclusive: null,
  "in-a-placement-group": null,
  and: null,
  xor: null,
  not: null,
  never: null,
  "shared-consumable": null,
  "shared-value": null,
};

/** The record has the rules of each kind under the kind, which TypeScript cannot express for a look-up. */
function preferenceOf(constraint: Constraint): Preference<Constraint> | null {
  return preferences[constraint.kind] as Preference<Constraint> | null;
}

function mayReorder(constraint: Constraint): boolean {
  return preferenceOf(constraint)?.mayReorder(constraint) ?? false;
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
  return constraints.reduce((weight, constraint) => reweigh(constraint, bucket, weight), start);
}

function reweigh(constraint: Constraint, { example }: LedgerBucket, weight: number): number {
  return preferenceOf(constraint)?.reweigh(constraint, example, weight) ?? weight;
}

function placed(places: number, index: number, weight: number): number {
  return index < 0 ? 0 : weight + placeWeight * (places - index);
}
