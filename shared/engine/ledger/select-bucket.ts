import type { Constraint } from "../model/constraint.ts";
import { visit } from "../model/constraint-kinds.ts";
import { firstRefusing } from "./match.ts";
import { type BucketFacts, isSharedProperty, sharedPropertyOf } from "./shared-properties.ts";
import type { Subject } from "./subject.ts";

/** Whether constraints on properties are satisfied by every node of a bucket. An empty list selects all. */
export function selectsBucket(select: readonly Constraint[], facts: BucketFacts): boolean {
  return firstRefusing(select, subjectOf(facts)) === null;
}

/** What a selection of buckets cannot ask for, because nodes of one bucket may differ in it: property names, kinds of constraint. */
export function beyondBuckets(select: readonly Constraint[]): readonly string[] {
  const found = new Set<string>();
  const see = (constraint: Constraint) => {
    const name = perNode(constraint);
    if (name !== null) found.add(name);
  };
  for (const constraint of select) visit(constraint, see);
  return [...found];
}

function perNode(constraint: Constraint): string | null {
  switch (constraint.kind) {
    case "property-options":
      return isSharedProperty(constraint.property) ? null : `node.${constraint.property}`;
    case "and":
    case "or":
    case "xor":
    case "not":
    case "never":
    case "in-a-placement-group":
      return null;
    case "minimum-resource":
    case "resource-options":
      return constraint.resource;
    case "exclusive":
    case "shared-consumable":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return constraint.kind;
  }
}

function subjectOf(facts: BucketFacts): Subject {
  return {
    property: (name) => (isSharedProperty(name) ? sharedPropertyOf(facts, name) : null),
    resource: () => undefined,
    left: () => Number.NEGATIVE_INFINITY,
    vacant: true,
    placementGroup: facts.placementGroup,
    secondsSinceCapacityFailure: null,
    poolLeft: () => undefined,
  };
}
