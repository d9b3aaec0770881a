import { firstSatisfiedBy, firstShareThatFits, kindOf, type Rules } from "./kind.ts";
import { choicesSchema } from "./or.ts";
import type { AnyConstraint } from "./reading.ts";
import type { Subject } from "./subject.ts";

/** Exactly one part matches, and that one consumes. */
export interface XorOf<Part> {
  readonly kind: "xor";
  readonly oneOf: readonly Part[];
}

export const xor = kindOf<XorOf<AnyConstraint>>()({
  keys: ["xor"],
  schema: choicesSchema,
  example: { xor: [{ "node.nodearray": "hpc" }, { "node.nodearray": "htc" }] },
  read(entry, reader) {
    const oneOf = reader.choices(entry);
    return oneOf === null ? [] : [{ kind: "xor", oneOf } as XorOf<AnyConstraint>];
  },
  refusing: (constraint, subject, rules) =>
    satisfiedCount(constraint.oneOf, subject, rules) === 1 ? null : constraint,
  figures: ({ oneOf }, subject, rules) => ({
    code: "XORFailed",
    asked: 1,
    left: satisfiedCount(oneOf, subject, rules),
  }),
  checks: ({ oneOf }, rules) => 1 + rules.checksOf(oneOf),
  shortened: (constraint, short) => ({ ...constraint, oneOf: short.parts(constraint.oneOf) }),
  parts: ({ oneOf }) => oneOf,
  taking({ oneOf }, subject, rules) {
    const only = oneOf[firstSatisfiedBy(oneOf, subject, rules)];
    return only === undefined ? [] : [only];
  },
  /** One part fewer that matches can mean that exactly one does. */
  mayAcceptLater: (constraint, rules) => rules.takesSomething(constraint),
  share: ({ oneOf }, resources, rules) => firstShareThatFits(oneOf, resources, rules),
  looksAt: () => "bucket",
});

function satisfiedCount(oneOf: readonly AnyConstraint[], subject: Subject, rules: Rules): number {
  return oneOf.reduce((count, part) => count + (rules.refusing(part, subject) === null ? 1 : 0), 0);
}
