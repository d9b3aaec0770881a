import type { Constraint } from "./constraint.ts";

export type ConstraintKind = Constraint["kind"];
export type ConstraintOf<K extends ConstraintKind> = Extract<Constraint, { readonly kind: K }>;

/** The rules of a kind that the planner needs before it reads a constraint of it. */
interface KindRules {
  /** The keys of JSON that mean it. `node.*`: every node property. `*`: every other key, which names a resource. */
  readonly keys: readonly string[] | "node.*" | "*";
  /** `takes`: a slot uses something up. `chooses`: it only selects nodes. `combines`: it consists of constraints, and takes what they take. */
  readonly role: "takes" | "chooses" | "combines";
  /** JSON Schema of the value after the key; constraints inside it are `#/$defs/constraints`. */
  readonly schema: object;
}

const flag = { enum: [true, false, "true", "false", 1, 0] };
const scalar = { type: ["string", "number", "boolean", "null"] };
const listOfScalars = { type: "array", items: scalar, minItems: 1 };
const amount = { type: ["number", "string"], minimum: 0 };
const several = { $ref: "#/$defs/constraints" };
const children = { type: "array", items: several, minItems: 1 };
const oneOrMore = (item: object) => ({ anyOf: [item, { type: "array", items: item, minItems: 1 }] });
const named = { "resource-name": { type: "string" } };

/** Every kind of constraint. A kind that is added to the union `Constraint` has to be added here to compile. */
export const constraintKinds = {
  "minimum-resource": { keys: "*", role: "takes", schema: amount },
  "resource-options": {
    keys: "*",
    role: "chooses",
    schema: { anyOf: [{ type: ["string", "boolean", "null"] }, listOfScalars] },
  },
  "property-options": { keys: "node.*", role: "chooses", schema: { anyOf: [scalar, listOfScalars] } },
  exclusive: { keys: ["exclusive", "exclusive-task", "exclusive_task"], role: "takes", schema: flag },
  "in-a-placement-group": { keys: ["in-a-placement-group"], role: "chooses", schema: flag },
  and: { keys: ["and"], role: "combines", schema: several },
  or: { keys: ["or"], role: "combines", schema: children },
  xor: { keys: ["xor"], role: "combines", schema: children },
  not: { keys: ["not"], role: "combines", schema: several },
  never: { keys: ["never"], role: "chooses", schema: {} },
  "shared-consumable": {
    keys: ["shared-consumable-constraint"],
    role: "takes",
    schema: oneOrMore({
      type: "object",
      properties: { ...named, requested: { type: "number", minimum: 0 } },
      required: ["resource-name", "requested"],
    }),
  },
  "shared-value": {
    keys: ["shared-non-consumable-constraint"],
    role: "chooses",
    schema: {
      type: "object",
      properties: { ...named, "current-value": scalar, requested: scalar },
      required: ["resource-name", "current-value", "requested"],
    },
  },
  "capacity-failure-backoff": {
    keys: ["capacity-failure-backoff"],
    role: "chooses",
    schema: { type: "number", minimum: 0 },
  },
  "array-choice": { keys: [], role: "chooses", schema: {} },
} as const satisfies Record<ConstraintKind, KindRules>;

type KindOfRole<R extends KindRules["role"]> = {
  [K in ConstraintKind]: (typeof constraintKinds)[K]["role"] extends R ? K : never;
}[ConstraintKind];

/** Constraints that use something up. */
export type Taking = ConstraintOf<KindOfRole<"takes">>;
/** Constraints that consist of others. */
export type Combining = ConstraintOf<KindOfRole<"combines">>;

export function isTaking(constraint: Constraint): constraint is Taking {
  return constraintKinds[constraint.kind].role === "takes";
}

export function isCombining(constraint: Constraint): constraint is Combining {
  return constraintKinds[constraint.kind].role === "combines";
}

const none: readonly never[] = [];

/** The constraints that one consists of; none for one that stands by itself. */
export function childrenOf(constraint: Constraint): readonly Constraint[] {
  return isCombining(constraint) ? partsOf(constraint) : none;
}

function partsOf(constraint: Combining): readonly Constraint[] {
  switch (constraint.kind) {
    case "and":
      return constraint.all;
    case "or":
      return constraint.any;
    case "xor":
      return constraint.oneOf;
    case "not":
      return [constraint.child];
  }
}

/** The resource of a node that a constraint uses up; null: none. */
export function resourceTaken(constraint: Constraint): string | null {
  return isTaking(constraint) ? resourceOf(constraint) : null;
}

function resourceOf(constraint: Taking): string | null {
  switch (constraint.kind) {
    case "minimum-resource":
      return constraint.resource;
    case "exclusive":
    case "shared-consumable":
      return null;
  }
}

/** Calls `see` with a constraint and with everything that it consists of. */
export function visit(constraint: Constraint, see: (constraint: Constraint) => void): void {
  see(constraint);
  for (const part of childrenOf(constraint)) visit(part, see);
}
