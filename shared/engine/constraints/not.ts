import { constraintsSchema } from "./and.ts";
import { kindOf } from "./kind.ts";
import { type AnyConstraint, conjunction } from "./reading.ts";

/** Matches where its part does not; consumes nothing. */
export interface NotOf<Part> {
  readonly kind: "not";
  readonly child: Part;
}

export const not = kindOf<NotOf<AnyConstraint>>()({
  keys: ["not"],
  schema: constraintsSchema,
  example: { not: { "node.spot": true } },
  read: ({ value, path, depth }, reader) => [
    { kind: "not", child: conjunction(reader.all(value, path, depth + 1)) } as NotOf<AnyConstraint>,
  ],
  refusing: (constraint, subject, rules) =>
    rules.refusing(constraint.child, subject) === null ? constraint : null,
  figures: () => ({ code: "NotFailed", asked: false, left: true }),
  checks: ({ child }, rules) => 1 + rules.checksOf([child]),
  shortened: (constraint, short) => ({
    ...constraint,
    child: short.parts([constraint.child])[0] ?? conjunction([]),
  }),
  parts: ({ child }) => [child],
  taking: () => [],
  /** What its part asks for may be gone later. */
  mayAcceptLater: (constraint, rules) => rules.takesSomething(constraint),
  looksAt: () => "bucket",
});
