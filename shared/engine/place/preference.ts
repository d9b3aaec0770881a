import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { firstOption, firstRefusing, firstSatisfied, refusing } from "../ledger/match.ts";
import type { Constraint } from "../model/constraint.ts";
import type { Profile } from "./profile.ts";

/** Each place from the end of a list of options is worth this much. */
const placeWeight = 100;
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

/** Buckets as a profile without preferences has them. */
export function inOrder(buckets: readonly LedgerBucket[]): readonly LedgerBucket[] {
  return buckets.toSorted((a, b) => compareRank(a, b) || a.index - b.index);
}

/** A single option adds the same weight to every bucket that it allows. */
function mayReorder(constraint: Constraint): boolean {
  switch (constraint.kind) {
    case "resource-options":
    case "property-options":
      return constraint.options.length > 1;
    case "or":
    case "capacity-failure-backoff":
      return true;
    case "minimum-resource":
    case "exclusive":
    case "in-a-placement-group":
    case "and":
    case "xor":
    case "not":
    case "never":
    case "shared-consumable":
    case "shared-value":
      return false;
  }
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

function reweigh(constraint: Constraint, bucket: LedgerBucket, weight: number): number {
  const { example } = bucket;
  switch (constraint.kind) {
    case "resource-options":
      return placed(
        constraint.options.length,
        firstOption(constraint.options, example.resource(constraint.resource)),
        weight,
      );
    case "property-options":
      return placed(
        constraint.options.length,
        firstOption(constraint.options, example.property(constraint.property)),
        weight,
      );
    case "or":
      return placed(constraint.any.length, firstSatisfied(constraint.any, example), weight);
    case "capacity-failure-backoff":
      return refusing(constraint, example) === null ? weight : 0;
    default:
      return weight;
  }
}

function placed(places: number, index: number, weight: number): number {
  return index < 0 ? 0 : weight + placeWeight * (places - index);
}
