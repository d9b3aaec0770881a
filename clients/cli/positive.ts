import { InvalidArgumentError } from "commander";

/** An option's value as a whole number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError(`"${text}", expected a whole number above 0.`);
}
