import type { Spread } from "./run-figures.ts";

/** Null: there are no values. */
export function spreadOf(values: readonly number[] | Float64Array): Spread | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return { mean: inMs(sum / sorted.length), median: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
}

/** Thousandths are enough, and the same on every machine. */
export function inMs(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
