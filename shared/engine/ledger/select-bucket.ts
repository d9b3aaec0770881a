import { firstRefusing, looksAt, visit } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import { isSharedProperty } from "../constraints/node-properties.ts";
import type { Subject } from "../constraints/subject.ts";
import { type BucketFacts, sharedPropertyOf } from "./shared-properties.ts";

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
  const at = looksAt(constraint);
  if (at === "bucket") return null;
  if (at === "situation") return constraint.kind;
  return "resource" in at ? at.resource : `node.${at.property}`;
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
