import { ticks } from "d3-array";
import { timeSteps, timesBetween } from "./time-axis.ts";

/** From where to where each curve is filled; null: unknown. */
export type Band = readonly ([below: number, value: number] | null)[];

/** Each curve on top of those before it, or all of them from zero. An unknown value leaves a gap in its own curve only. */
export function bandsOf(
  curves: readonly { readonly values: readonly (number | null)[] }[],
  isStacked: boolean,
): readonly Band[] {
  const sums: number[] = [];
  return curves.map(({ values }) =>
    values.map((value, index) => {
      if (value === null) return null;
      const below = isStacked ? (sums[index] ?? 0) : 0;
      sums[index] = below + value;
      return [below, below + value];
    }),
  );
}

/** The end of the value axis: a little above the largest value, and never 0. */
export function topOf(bands: readonly Band[]): number {
  let most = 0;
  for (const band of bands) for (const at of band) most = Math.max(most, at?.[1] ?? 0);
  return Math.max(1, most * 1.05);
}

/** Marks of the value axis: round figures, whole ones where values are. */
export function valueMarks(top: number, isWhole: boolean): readonly number[] {
  const marks = ticks(0, top, 5);
  return isWhole ? marks.filter(Number.isInteger) : marks;
}

/** Marks of the time axis, at least 80 pixels apart, and the seconds between them. */
export function timeMarks(
  [from, until]: readonly [from: number, until: number],
  pixels: number,
): { readonly step: number; readonly times: readonly number[] } {
  const most = Math.max(1, Math.floor(pixels / 80));
  const step = timeSteps.find((each) => (until - from) / each <= most) ?? timeSteps.at(-1) ?? 1;
  return { step, times: timesBetween(from, until, step) };
}
