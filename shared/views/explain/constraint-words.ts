import { type Constraint, formatSize, isSize, type Scalar } from "../../engine/index.ts";
import { redactMember, redactText } from "../../text/redact.ts";

export function subjectOf(constraint: Constraint | null): string {
  switch (constraint?.kind) {
    case "minimum-resource":
    case "resource-options":
      return `"${constraint.resource}"`;
    case "property-options":
      return `"node.${constraint.property}"`;
    case "shared-value":
      return `"${constraint.name}"`;
    case "exclusive":
    case "in-a-placement-group":
    case "and":
    case "or":
    case "xor":
    case "not":
    case "never":
    case "shared-consumable":
    case "capacity-failure-backoff":
    case "array-choice":
    case undefined:
      return "it";
  }
}

export function optionsOf(constraint: Constraint | null): string {
  if (constraint?.kind !== "resource-options" && constraint?.kind !== "property-options") return "another";
  const name = constraint.kind === "resource-options" ? constraint.resource : constraint.property;
  return someOf(
    constraint.options.map((option) => scalarText(redactMember(name, option) as Scalar)),
    " or ",
  );
}

/** Longer lists and texts are cut: a reason is read by people, and what it is about may be as large as a message. */
const mostParts = 10;
const longestText = 200;

function someOf(parts: readonly string[], separator: string): string {
  const more = parts.length - mostParts;
  const first = parts.slice(0, mostParts).join(separator);
  return more > 0 ? `${first}${separator}${more} more` : first;
}

function someParts(children: readonly Constraint[], separator: string): string {
  // Only those that are scalarText are put into words.
  const first = children.slice(0, mostParts).map(describePart);
  const more = children.length - mostParts;
  return more > 0 ? [...first, `${more} more`].join(separator) : first.join(separator);
}

export function poolNames(constraint: Constraint | null): string {
  if (constraint?.kind !== "shared-consumable") return "it";
  return someOf([...new Set(constraint.draws.map(({ pool }) => `"${cut(pool)}"`))], ", ");
}

/** A constraint in short, for people who know what they asked. */
export function describeConstraint(constraint: Constraint | null): string {
  switch (constraint?.kind) {
    case "minimum-resource":
      return `${constraint.resource} >= ${scalarText(redactMember(constraint.resource, constraint.amount) as Scalar)}`;
    case "resource-options":
      return `${constraint.resource} = ${optionsOf(constraint)}`;
    case "property-options":
      return `node.${constraint.property} = ${optionsOf(constraint)}`;
    case "exclusive":
      return constraint.scope === "task" ? "exclusive-task" : "exclusive";
    case "in-a-placement-group":
      return constraint.wanted ? "in a placement group" : "in no placement group";
    case "and":
      return someParts(constraint.all, " and ");
    case "or":
      return someParts(constraint.any, " or ");
    case "xor":
      return `exactly one of ${someParts(constraint.oneOf, ", ")}`;
    case "not":
      return `not ${describePart(constraint.child)}`;
    case "never":
      return cut(redactText(constraint.message));
    case "shared-consumable":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return constraint.kind;
    case undefined:
      return "nothing";
  }
}

/** One part of several; a part that has parts itself gets parentheses. */
function describePart(constraint: Constraint): string {
  const isSeveral = constraint.kind === "and" || constraint.kind === "or" || constraint.kind === "xor";
  return isSeveral ? `(${describeConstraint(constraint)})` : describeConstraint(constraint);
}

export function scalarText(value: Scalar): string {
  if (isSize(value)) return formatSize(value);
  if (value === null) return "none";
  return typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toFixed(3)))
    : cut(String(value));
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}
