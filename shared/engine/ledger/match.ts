import type { CapacityFailureBackoff, Constraint, MinimumResource } from "../model/constraint.ts";
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
  }
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
  return value === undefined ? -1 : options.findIndex((option) => equalScalars(option, value));
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
