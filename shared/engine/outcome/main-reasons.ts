import { amountOf } from "../ledger/stock.ts";
import type { Constraint } from "../model/constraint.ts";
import type { Reason } from "../model/reasons.ts";
import type { Scalar } from "../model/resources.ts";

/** Reasons of one job that an archived plan holds. */
const mostReasons = 8;
/** Parts or options of a constraint in such a reason. */
const mostParts = 4;
const mostLevels = 2;
const longestText = 200;

/**
 * One reason of each kind, that of the bucket that came closest, and shortened: what an archived plan holds of a job.
 * Written out for every bucket, a long queue would make an archive of gigabytes, and the archived input gives all again.
 */
export function mainReasons(reasons: readonly Reason[]): readonly Reason[] {
  return nearestOfKinds(reasons).slice(0, mostReasons).map(shortened);
}

function nearestOfKinds(reasons: readonly Reason[]): readonly Reason[] {
  // By the object first: writing a large constraint out for every bucket takes long.
  const byConstraint = new Map<Constraint | null, Map<string, Reason>>();
  for (const reason of reasons) {
    const { constraint, code, limit } = reason;
    const kinds = byConstraint.get(constraint) ?? new Map<string, Reason>();
    byConstraint.set(constraint, kinds);
    const key = `${code} ${limit}`;
    const known = kinds.get(key);
    if (known === undefined || closeness(reason.left) > closeness(known.left)) kinds.set(key, reason);
  }
  return [...byConstraint.values()].flatMap((kinds) => [...kinds.values()]);
}

function closeness(left: Scalar): number {
  return amountOf(left);
}

function shortened(reason: Reason): Reason {
  const { constraint, asked, left } = reason;
  return {
    ...reason,
    constraint: constraint === null ? null : shortConstraint(constraint, mostLevels),
    asked: shortScalar(asked),
    left: shortScalar(left),
  };
}

/** Shortens a constraint without a mark of what is missing: the archived input has the whole. */
function shortConstraint(constraint: Constraint, levels: number): Constraint {
  const some = (children: readonly Constraint[]) =>
    levels === 0 ? [] : children.slice(0, mostParts).map((child) => shortConstraint(child, levels - 1));
  switch (constraint.kind) {
    case "and":
      return { ...constraint, all: some(constraint.all) };
    case "or":
      return { ...constraint, any: some(constraint.any) };
    case "xor":
      return { ...constraint, oneOf: some(constraint.oneOf) };
    case "not":
      return { ...constraint, child: some([constraint.child])[0] ?? { kind: "and", all: [] } };
    case "property-options":
    case "resource-options":
      return { ...constraint, options: constraint.options.slice(0, mostParts).map(shortScalar) };
    case "shared-consumable":
      return { ...constraint, draws: constraint.draws.slice(0, mostParts) };
    case "never":
      return { ...constraint, message: cut(constraint.message) };
    case "minimum-resource":
    case "exclusive":
    case "in-a-placement-group":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return constraint;
  }
}

function shortScalar(value: Scalar): Scalar {
  return typeof value === "string" ? cut(value) : value;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}
