import { kindOf, type Rules } from "./kind.ts";
import type { AnyConstraint } from "./reading.ts";
import type { Subject } from "./subject.ts";

/** All parts hold. */
export interface AndOf<Part> {
  readonly kind: "and";
  readonly all: readonly Part[];
}

export const constraintsSchema = { $ref: "#/$defs/constraints" };

export const and = kindOf<AndOf<AnyConstraint>>()({
  keys: ["and"],
  schema: constraintsSchema,
  example: { and: [{ ncpus: 2 }, { memgb: 8 }] },
  read: ({ value, path, depth }, reader) => [
    { kind: "and", all: reader.all(value, path, depth + 1) } as AndOf<AnyConstraint>,
  ],
  refusing: ({ all }, subject, rules) => firstRefusal(all, subject, rules),
  figures: ({ all }) => ({ code: "AndFailed", asked: all.length, left: null }),
  checks: ({ all }, rules) => 1 + rules.checksOf(all),
  shortened: (constraint, short) => ({ ...constraint, all: short.parts(constraint.all) }),
  parts: ({ all }) => all,
  taking: ({ all }) => all,
  /** Losing amounts only ever loses nodes, unless two parts ask for the same resource. */
  mayAcceptLater({ all }, rules) {
    const resources = all.flatMap((part) => [...rules.resourcesIn([part])]);
    return new Set(resources).size < resources.length || all.some((part) => rules.mayAcceptLater(part));
  },
  isConjunction: true,
  share: ({ all }, resources, rules) => Math.max(0, ...all.map((part) => rules.shareOf(part, resources))),
  looksAt: () => "bucket",
});

function firstRefusal(all: readonly AnyConstraint[], subject: Subject, rules: Rules): AnyConstraint | null {
  for (const part of all) {
    const refusal = rules.refusing(part, subject);
    if (refusal !== null) return refusal;
  }
  return null;
}
