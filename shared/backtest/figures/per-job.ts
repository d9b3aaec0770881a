import type { RunFigures } from "./run-figures.ts";

/** An entry of a column of `perJob`; null: there is none. */
export function valueAt(column: Float64Array, place: number): number | null {
  const value = column[place] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** A column as JSON has it. */
export function listed(column: Float64Array): readonly (number | null)[] {
  return Array.from(column, (value) => (Number.isNaN(value) ? null : value));
}

/** Figures whose columns are lists, as people get them. */
export function toJson(figures: RunFigures): object {
  const { perJob, hourNanoUsd } = figures;
  return {
    ...figures,
    hourNanoUsd: Array.from(hourNanoUsd, Math.round),
    perJob: { waitSeconds: listed(perJob.waitSeconds), nanoUsd: listed(perJob.nanoUsd) },
  };
}
