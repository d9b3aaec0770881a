import { amountOf, covers, unitOf } from "../values/amounts.ts";
import type { Scalar } from "../values/resources.ts";
import { looksLikeAmount, parseAmount, parseBareAmount, type Size } from "../values/units.ts";
import { type AmountTaken, kindOf } from "./kind.ts";
import type { Subject } from "./subject.ts";

/** The node has at least this much left, and gives it up. A plain number of a size is in that size's own unit. */
export interface MinimumResource extends AmountTaken {
  readonly kind: "minimum-resource";
  readonly resource: string;
  readonly amount: number | Size;
}

/** Resources that hold memory on every node. */
const memoryName = /^mem(?:ory|[kmgt]?b)$/;

export const minimumResource = kindOf<MinimumResource>()({
  keys: "*",
  schema: { type: ["number", "string"], minimum: 0 },
  example: { ncpus: 2 },
  read({ key: resource, value, path }, reader) {
    if (typeof value === "number") {
      // A negative amount would give resources back to the node.
      if (Number.isFinite(value) && value >= 0)
        return [{ kind: "minimum-resource", resource, amount: value } as MinimumResource];
      reader.refuseValue(path, value, "a number that is not negative");
      return [];
    }
    if (typeof value !== "string") return null;
    // As a name of something `4g` would match no amount of memory.
    const bare = memoryName.test(resource) ? parseBareAmount(value) : null;
    if (bare !== null) return [{ kind: "minimum-resource", resource, amount: bare } as MinimumResource];
    if (!looksLikeAmount(value)) return null;
    const amount = parseAmount(value);
    if (amount !== null) return [{ kind: "minimum-resource", resource, amount } as MinimumResource];
    reader.refuseValue(path, value, 'an amount such as "size::20g" or "memory::4g"');
    return [];
  },
  refusing: (constraint, subject) =>
    covers(subject.left(constraint.resource), amountAsked(constraint, subject)) ? null : constraint,
  figures(constraint, subject) {
    const value = subject.resource(constraint.resource);
    if (value === undefined) return { code: "UndefinedResource", asked: constraint.amount, left: null };
    return {
      code: "InsufficientResource",
      asked: askedIn(value, amountAsked(constraint, subject)),
      left: value,
    };
  },
  take: (constraint, takings) => takings.amount(constraint),
  /** Above 1: more than a node has. */
  share({ resource, amount }, resources) {
    const value = resources[resource];
    const wanted = typeof amount === "number" ? amount * unitOf(value) : amount.bytes;
    const whole = amountOf(value);
    if (wanted <= 0) return 0;
    return whole > 0 ? wanted / whole : Number.POSITIVE_INFINITY;
  },
  looksAt: ({ resource }) => ({ resource }),
});

/** The amount in the base unit: a plain number asked of a size is in the size's own unit. */
export function amountAsked({ resource, amount }: AmountTaken, subject: Subject): number {
  return typeof amount === "number" ? amount * unitOf(subject.resource(resource)) : amount.bytes;
}

/** An amount in the form of the value that it is compared with. */
export function askedIn(value: Scalar, bytes: number): Scalar {
  return typeof value === "object" && value !== null ? { bytes, magnitude: value.magnitude } : bytes;
}
