import { isSize, type Scalar } from "./resources.ts";
import { bytesPer } from "./units.ts";

/** Stands for a resource that a node does not have, or that is no number: no amount fits into it. */
export const undefinedAmount = Number.NEGATIVE_INFINITY;

/** A value as a plain number, sizes in bytes; not a number: nothing can be taken of it. */
export function amountOf(value: Scalar | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && isSize(value) ? value.bytes : undefinedAmount;
}

/** Converts a plain number to the unit of a value: bytes for a size, otherwise the number itself. */
export function unitOf(value: Scalar | undefined): number {
  return value !== undefined && isSize(value) ? bytesPer(value.magnitude) : 1;
}

/** Fractions (0.1 cpus, ten times) must add up: comparisons forgive this share of the amount. */
const tolerance = 1e-9;

/** Whether what is left covers an amount, up to rounding. */
export function covers(left: number, amount: number): boolean {
  return left >= amount - Math.abs(amount) * tolerance;
}

/** What is left after an amount was taken: a remainder that rounding makes negative is none. */
export function leftAfter(left: number, amount: number): number {
  const rest = left - amount;
  return rest < 0 && covers(left, amount) ? 0 : rest;
}

/** How many times an amount fits into what is left. */
export function timesInto(left: number, amount: number): number {
  return amount === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / amount + tolerance);
}

/** How many times a demand fits into the room of a node, both by column. */
export function timesInRoom(demand: readonly number[], room: readonly number[]): number {
  let times = Number.POSITIVE_INFINITY;
  for (let column = 0; column < demand.length; column++)
    times = Math.min(times, timesInto(room[column] as number, demand[column] as number));
  return times;
}
