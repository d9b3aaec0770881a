import { shortConstraint } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { Shortening } from "../constraints/kind.ts";
import type { Reason } from "../model/reasons.ts";
import { amountOf } from "../values/amounts.ts";
import type { Scalar } from "../values/resources.ts";

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
    constraint: constraint === null ? null : shortConstraint(constraint, shortening(mostLevels)),
    asked: shortScalar(asked),
    left: shortScalar(left),
  };
}

/** How reasons are shortened: without a mark of what is missing, because the archived input has the whole. */
function shortening(levels: number): Shortening {
  return {
    text: cut,
    scalar: shortScalar,
    list: (items) => items.slice(0, mostParts),
    parts: (parts) =>
      levels === 0
        ? []
        : parts
            .slice(0, mostParts)
            .map((part) => shortConstraint(part as Constraint, shortening(levels - 1))),
  };
}

function shortScalar(value: Scalar): Scalar {
  return typeof value === "string" ? cut(value) : value;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}
