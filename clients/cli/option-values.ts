import { InvalidArgumentError } from "commander";
import { messageOf } from "../../shared/errors/errors.ts";
import { parseJson } from "../../shared/json/json.ts";

/** Reads an option that may be repeated, each time a job as JSON. */
export function collectJobs(text: string, before: readonly unknown[]): readonly unknown[] {
  try {
    return [...before, parseJson(text)];
  } catch (error) {
    throw new InvalidArgumentError(
      `${messageOf(error)}; expected JSON such as '{"constraints": {"ncpus": 4}, "iterations": 10}'.`,
    );
  }
}

export function wholeNumber(least: number): (text: string) => number {
  const wanted = `a whole number, ${least} or above`;
  return numberFrom(wanted, (value) => Number.isInteger(value) && value >= least);
}

function numberFrom(wanted: string, isUsable: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    // `Number("")` is 0.
    if (text.trim() !== "" && isUsable(value)) return value;
    throw new InvalidArgumentError(`"${text}", expected ${wanted}.`);
  };
}
