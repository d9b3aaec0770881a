import { constraintsSchema } from "./and.ts";
import { firstSatisfiedBy, firstShareThatFits, kindOf, placed } from "./kind.ts";
import type { AnyConstraint } from "./reading.ts";

/** The first part that matches, and for which there is room beside what was taken before it, is the one that consumes. */
export interface OrOf<Part> {
  readonly kind: "or";
  readonly any: readonly Part[];
}

export const choicesSchema = { type: "array", items: constraintsSchema, minItems: 1 };

export const or = kindOf<OrOf<AnyConstraint>>()({
  keys: ["or"],
  schema: choicesSchema,
  example: { or: [{ "node.nodearray": "hpc" }, { "node.nodearray": "htc" }] },
  read(entry, reader) {
    const any = reader.choices(entry);
    return any === null ? [] : [{ kind: "or", any } as OrOf<AnyConstraint>];
  },
  refusing: (constraint, subject, rules) =>
    firstSatisfiedBy(constraint.any, subject, rules) >= 0 ? null : constraint,
  figures: () => ({ code: "OrFailed", asked: 1, left: 0 }),
  checks: ({ any }, rules) => 1 + rules.checksOf(any),
  shortened: (constraint, short) => ({ ...constraint, any: short.parts(constraint.any) }),
  parts: ({ any }) => any,
  taking: ({ any }, subject, rules) => any.filter((part) => rules.refusing(part, subject) === null),
  isChoice: true,
  mayAcceptLater: ({ any }, rules) => any.some((part) => rules.mayAcceptLater(part)),
  share: ({ any }, resources, rules) => firstShareThatFits(any, resources, rules),
  looksAt: () => "bucket",
  preference: {
    mayReorder: () => true,
    reweigh: ({ any }, example, weight, rules) =>
      placed(any.length, firstSatisfiedBy(any, example, rules), weight),
  },
});
