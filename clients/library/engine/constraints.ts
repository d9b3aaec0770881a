import type { Json, NodeProperty } from "../../../shared/engine/index.ts";

/** Constraints as a job's JSON has them. Several keys mean "and". */
export interface ConstraintJson {
  readonly [key: string]: Json;
}

/** What a resource or a property may be, for constraints that only choose. */
export type Option = string | number | boolean | null;

/** An amount with a unit: `4g`, `512m`. Small letters are powers of 1024, capital ones powers of 1000. */
export type Amount = `${number}${"b" | "k" | "m" | "g" | "t" | "p" | "K" | "M" | "G" | "T" | "P"}`;

/** All of them hold. */
export function and(...all: readonly ConstraintJson[]): ConstraintJson {
  return { and: all };
}

/** At least one holds; the first that does is the one that takes something. */
export function or(...any: readonly ConstraintJson[]): ConstraintJson {
  return { or: any };
}

/** Exactly one holds. */
export function xor(...oneOf: readonly ConstraintJson[]): ConstraintJson {
  return { xor: oneOf };
}

/** Holds where the other does not. Takes nothing. */
export function not(constraint: ConstraintJson): ConstraintJson {
  return { not: constraint };
}

/** Holds nowhere; the message is shown as the reason. */
export function never(message: string): ConstraintJson {
  return { never: message };
}

/**
 * A number, or an `amount`: the node has this much left, and gives it up. Any other value, or a list: the node's resource is one
 * of these; texts may hold `*`, `?` and `[abc]`.
 */
export function resource(name: string, wanted: Option | readonly Option[]): ConstraintJson {
  return { [name]: wanted };
}

/** An amount with a unit, for `resource`: `resource("scratch", amount("500g"))`. Without it, `500g` would be a value to compare with. */
export function amount(of: Amount): string {
  return `size::${of}`;
}

/** A property of the node is one of these; the first is preferred. Texts may hold `*`, `?` and `[abc]`. */
export function property(name: `node.${NodeProperty}`, wanted: Option | readonly Option[]): ConstraintJson {
  return { [name]: wanted };
}

/** CPUs as jobs count them (vCPUs). */
export function ncpus(count: number): ConstraintJson {
  return { ncpus: count };
}

/** Physical CPUs. */
export function pcpus(count: number): ConstraintJson {
  return { pcpus: count };
}

export function ngpus(count: number): ConstraintJson {
  return { ngpus: count };
}

/** Memory, such as `memory("4g")`. A plain number is in GiB. */
export function memory(wanted: Amount | number): ConstraintJson {
  return { memgb: typeof wanted === "number" ? wanted : `memory::${wanted}` };
}

/** Every iteration has its node to itself; with `task`, the iterations of one job share nodes with no other job. */
export function exclusive(scope: "iteration" | "task" = "iteration"): ConstraintJson {
  return { [scope === "task" ? "exclusive-task" : "exclusive"]: true };
}

/** The node is in some placement group, or with `false` in none. */
export function inAPlacementGroup(wanted = true): ConstraintJson {
  return { "in-a-placement-group": wanted };
}

/** Passes over VM sizes of which Azure had none within the last so many seconds. */
export function capacityFailureBackoff(seconds: number): ConstraintJson {
  return { "capacity-failure-backoff": seconds };
}
