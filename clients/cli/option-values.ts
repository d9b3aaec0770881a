import { InvalidArgumentError } from "commander";

/** Reads an option's value as a whole number, `least` or above. */
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
