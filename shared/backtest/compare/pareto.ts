import type { RunFigures } from "../figures/run-figures.ts";

/**
 * Runs, by index, that no other run beats: none is at least as cheap, with waits at most as long and as many jobs that ended,
 * and better in one of these. Where no run has a price at all, time on nodes stands for cost.
 */
export function onFront(runs: readonly RunFigures[]): ReadonlySet<number> {
  const hasPrices = runs.some(({ cost }) => cost.total.unpricedNodeMs < cost.total.nodeMs);
  const points = runs.map(({ cost, waitSeconds, jobs }) => [
    // A run with unpriced nodes would look cheaper than it is.
    hasPrices && cost.total.unpricedNodeMs > 0
      ? Number.POSITIVE_INFINITY
      : cost.total[hasPrices ? "nanoUsd" : "nodeMs"],
    waitSeconds?.mean ?? 0,
    -jobs.ended,
  ]);
  return new Set(
    points.flatMap((point, index) => (points.some((other) => beats(other, point)) ? [] : [index])),
  );
}

function beats(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, k) => value <= at(b, k)) && a.some((value, k) => value < at(b, k));
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}
