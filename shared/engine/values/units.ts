/**
 * Sizes (memory, disk) with a magnitude. Lower-case letters are powers of 1024, upper-case ones powers of
 * 1000; `b` is one byte. Sizes compare by bytes; the magnitude is the unit in which plain numbers are read.
 */

export type Magnitude = "b" | "k" | "m" | "g" | "t" | "p" | "K" | "M" | "G" | "T" | "P";

/** An amount of bytes together with the unit that it was written in. */
export interface Size {
  readonly bytes: number;
  readonly magnitude: Magnitude;
}

const bytesByUnit: Readonly<Record<Magnitude, number>> = {
  b: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  p: 1024 ** 5,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
};

/** Bytes in one unit of a magnitude. */
export function bytesPer(magnitude: Magnitude): number {
  return bytesByUnit[magnitude];
}

/** A size from a number of units. */
export function size(value: number, magnitude: Magnitude): Size {
  return { bytes: value * bytesByUnit[magnitude], magnitude };
}

/** The value of a size in its own unit, as people write it: 20 for `size::20g`. */
export function inOwnUnit(amount: Size): number {
  return amount.bytes / bytesByUnit[amount.magnitude];
}

const amountPattern = /^(?:size|memory)::(\d+(?:\.\d+)?)([bkmgtpKMGTP])?$/;

/** Whether a text claims to be an amount, well-formed or not. */
export function looksLikeAmount(text: string): boolean {
  return text.startsWith("size::") || text.startsWith("memory::");
}

/** Reads `size::20g` or `memory::4g`; no letter means bytes. Null when the text is no amount. */
export function parseAmount(text: string): Size | null {
  return toSize(amountPattern.exec(text));
}

const bareAmountPattern = /^(\d+(?:\.\d+)?)([bkmgtpKMGTP])b?$/;

/** Reads `1g` or `512mb`. Only for places where a text makes no sense: elsewhere `1g` may be a name. */
export function parseBareAmount(text: string): Size | null {
  return toSize(bareAmountPattern.exec(text));
}

function toSize(match: RegExpExecArray | null): Size | null {
  if (match === null) return null;
  const magnitude = (match[2] ?? "b") as Magnitude;
  return size(Number(match[1]), magnitude);
}

/** Writes a size the way that it is configured, without the prefix: `20g`. */
export function formatSize(amount: Size): string {
  const value = inOwnUnit(amount);
  return `${Number.isInteger(value) ? value : Number(value.toFixed(3))}${amount.magnitude}`;
}
