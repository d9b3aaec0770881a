import { type Constraint, formatSize, isSize, type Scalar } from "../../engine/index.ts";
import { redactMember, redactText } from "../../text/redact.ts";

/** How a kind of constraint is put into words. */
interface Words<C extends Constraint> {
  /** What it is about, in a sentence about it. */
  subject(constraint: C): string;
  /** The constraint in short, for people who know what they asked. */
  short(constraint: C): string;
  /** It has parts, so that it gets parentheses as a part of another. */
  readonly hasParts?: true;
}

const it = () => "it";
const scalarOf = (name: string, value: Scalar) => scalarText(redactMember(name, value) as Scalar);

const words: { readonly [K in Constraint["kind"]]: Words<Extract<Constraint, { readonly kind: K }>> } = {
  "minimum-resource": {
    subject: ({ resource }) => `"${resource}"`,
    short: ({ resource, amount }) => `${resource} >= ${scalarOf(resource, amount)}`,
  },
  "resource-options": {
    subject: ({ resource }) => `"${resource}"`,
    short: (constraint) => `${constraint.resource} = ${optionsOf(constraint)}`,
  },
  "property-options": {
    subject: ({ property }) => `"node.${property}"`,
    short: (constraint) => `node.${constraint.property} = ${optionsOf(constraint)}`,
  },
  exclusive: {
    subject: it,
    short: ({ scope }) => (scope === "task" ? "exclusive-task" : "exclusive"),
  },
  "in-a-placement-group": {
    subject: it,
    short: ({ wanted }) => (wanted ? "in a placement group" : "in no placement group"),
  },
  and: { subject: it, short: ({ all }) => someParts(all, " and "), hasParts: true },
  or: { subject: it, short: ({ any }) => someParts(any, " or "), hasParts: true },
  xor: { subject: it, short: ({ oneOf }) => `exactly one of ${someParts(oneOf, ", ")}`, hasParts: true },
  not: { subject: it, short: ({ child }) => `not ${describePart(child)}` },
  never: { subject: it, short: ({ message }) => cut(redactText(message)) },
  "shared-consumable": { subject: it, short: ({ kind }) => kind },
  "shared-value": { subject: ({ name }) => `"${name}"`, short: ({ kind }) => kind },
  "capacity-failure-backoff": { subject: it, short: ({ kind }) => kind },
  "array-choice": { subject: it, short: () => "the spot settings" },
};

/** The record has the words of each kind under the kind, which TypeScript cannot express for a look-up. */
function wordsOf(constraint: Constraint): Words<Constraint> {
  return words[constraint.kind] as Words<Constraint>;
}

export function subjectOf(constraint: Constraint | null): string {
  return constraint === null ? "it" : wordsOf(constraint).subject(constraint);
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
  return constraint === null ? "nothing" : wordsOf(constraint).short(constraint);
}

/** One part of several; a part that has parts itself gets parentheses. */
function describePart(constraint: Constraint): string {
  const short = describeConstraint(constraint);
  return wordsOf(constraint).hasParts ? `(${short})` : short;
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
