import type {
  ArrayChoice,
  ArraysOff,
  CapacityFailureBackoff,
  Constraint,
  MinimumResource,
} from "../model/constraint.ts";
import { isSize, type Scalar } from "../model/resources.ts";
import { bytesPer } from "../model/units.ts";
import { hasWildcard, matchesWildcard } from "../model/wildcard.ts";
import { covers } from "./availability.ts";
import { unitOf } from "./stock.ts";
import type { Subject } from "./subject.ts";

/** The constraint that refuses the subject: itself or the part of it that decides; null when it is satisfied. */
export function refusing(constraint: Constraint, subject: Subject): Constraint | null {
  switch (constraint.kind) {
    case "minimum-resource":
      return covers(subject.left(constraint.resource), amountAsked(constraint, subject)) ? null : constraint;
    case "resource-options":
      return firstOption(constraint.options, subject.resource(constraint.resource)) >= 0 ? null : constraint;
    case "property-options":
      return firstOption(constraint.options, subject.property(constraint.property)) >= 0 ? null : constraint;
    case "exclusive":
      return subject.vacant ? null : constraint;
    case "in-a-placement-group":
      return (subject.placementGroup !== null) === constraint.wanted ? null : constraint;
    case "and":
      return firstRefusing(constraint.all, subject);
    case "or":
      return firstSatisfied(constraint.any, subject) >= 0 ? null : constraint;
    case "xor":
      return satisfiedCount(constraint.oneOf, subject) === 1 ? null : constraint;
    case "not":
      return refusing(constraint.child, subject) === null ? constraint : null;
    case "never":
      return constraint;
    case "shared-consumable":
      return constraint.draws.every((draw) => covers(subject.poolLeft(draw) ?? -1, draw.amount))
        ? null
        : constraint;
    case "shared-value":
      return equalScalars(constraint.target, constraint.current) ? null : constraint;
    case "capacity-failure-backoff":
      return backsOff(constraint, subject) ? constraint : null;
    case "array-choice":
      return turnedOff(constraint, subject) === null ? null : constraint;
  }
}

/** Why the arrays' choice refuses a subject; null when it does not. */
export function turnedOff({ off }: ArrayChoice, subject: Subject): ArraysOff | null {
  const nodeArray = subject.property("nodearray");
  return off.find(({ nodeArrays }) => nodeArrays.some((name) => name === nodeArray)) ?? null;
}

/** The first refusal among constraints that all have to hold. */
export function firstRefusing(constraints: readonly Constraint[], subject: Subject): Constraint | null {
  for (const constraint of constraints) {
    const refusal = refusing(constraint, subject);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Index of the first child that is satisfied; -1: none. */
export function firstSatisfied(children: readonly Constraint[], subject: Subject): number {
  return children.findIndex((child) => refusing(child, subject) === null);
}

function satisfiedCount(children: readonly Constraint[], subject: Subject): number {
  return children.reduce((count, child) => count + (refusing(child, subject) === null ? 1 : 0), 0);
}

function backsOff(constraint: CapacityFailureBackoff, subject: Subject): boolean {
  const age = subject.secondsSinceCapacityFailure;
  return age !== null && age < constraint.seconds;
}

/** The amount in the base unit: a plain number asked of a size is in the size's own unit. */
export function amountAsked(constraint: MinimumResource, subject: Subject): number {
  const { amount } = constraint;
  return typeof amount === "number" ? amount * unitOf(subject.resource(constraint.resource)) : amount.bytes;
}

/** Index of the first option that a value matches; -1: none, or no value. */
export function firstOption(options: readonly Scalar[], value: Scalar | undefined): number {
  if (value === undefined) return -1;
  return options.length > fewOptions && typeof value === "string"
    ? lookUp(listed(options), value)
    : options.findIndex((option) => equalScalars(option, value));
}

/** Longer lists get an index. */
const fewOptions = 8;

/** The texts of a long list of options by their places, and its wildcards. */
interface Listed {
  readonly places: ReadonlyMap<string, number>;
  readonly wildcards: readonly { readonly pattern: string; readonly place: number }[];
}

/** By the list: one that was archived or copied is read again, with the same result. */
const knownLists = new WeakMap<readonly Scalar[], Listed>();

function listed(options: readonly Scalar[]): Listed {
  const known = knownLists.get(options);
  if (known !== undefined) return known;
  const places = new Map<string, number>();
  const wildcards: { pattern: string; place: number }[] = [];
  options.forEach((option, place) => {
    if (typeof option !== "string") return;
    if (!places.has(option)) places.set(option, place);
    if (hasWildcard(option)) wildcards.push({ pattern: option, place });
  });
  const made = { places, wildcards };
  knownLists.set(options, made);
  return made;
}

function lookUp({ places, wildcards }: Listed, value: string): number {
  const exact = places.get(value) ?? -1;
  for (const { pattern, place } of wildcards) {
    if (exact >= 0 && place > exact) break;
    if (matchesWildcard(pattern, value)) return place;
  }
  return exact;
}

/** A wildcard of so many characters takes about as long to compare as a constraint to hold against a node. */
const charactersPerCheck = 16;

/** The number of checks of one subject against all these constraints. */
export function checksOf(constraints: readonly Constraint[]): number {
  return constraints.reduce((sum, constraint) => sum + checksOfOne(constraint), 0);
}

function checksOfOne(constraint: Constraint): number {
  switch (constraint.kind) {
    case "and":
      return 1 + checksOf(constraint.all);
    case "or":
      return 1 + checksOf(constraint.any);
    case "xor":
      return 1 + checksOf(constraint.oneOf);
    case "not":
      return 1 + checksOfOne(constraint.child);
    case "shared-consumable":
      return 1 + constraint.draws.length;
    case "property-options":
    case "resource-options":
      return 1 + checksOfOptions(constraint.options);
    case "minimum-resource":
    case "exclusive":
    case "in-a-placement-group":
    case "never":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return 1;
  }
}

/** Tries wildcards and the options of a short list one by one; long lists have an index. */
function checksOfOptions(options: readonly Scalar[]): number {
  let characters = 0;
  for (const option of options) {
    const isLookedUp = options.length > fewOptions && typeof option === "string" && !hasWildcard(option);
    if (!isLookedUp) characters += typeof option === "string" ? option.length : 1;
  }
  return Math.ceil(characters / charactersPerCheck);
}

function equalScalars(option: Scalar, value: Scalar): boolean {
  if (typeof option === "string" && typeof value === "string")
    return option === value || (hasWildcard(option) && matchesWildcard(option, value));
  if (isSize(value)) {
    if (isSize(option)) return option.bytes === value.bytes;
    return typeof option === "number" && option * bytesPer(value.magnitude) === value.bytes;
  }
  return isSize(option) ? option.bytes === value : option === value;
}
