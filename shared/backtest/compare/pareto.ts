import type { AsideLine } from "../../accounting/index.ts";
import type { RunFigures } from "../figures/run-figures.ts";

/** What runs are compared by: money, that of disks of deallocated nodes included; without any price, time on nodes. */
export function costOf({ cost }: RunFigures): number {
  return hasPrice(cost) ? cost.total.nanoUsd + besideNanoUsd(cost, "deallocated") : cost.total.nodeMs;
}

/** Without nodes the cost is 0. */
export function hasPrice({ total }: RunFigures["cost"]): boolean {
  return total.nodeMs === 0 || total.unpricedNodeMs < total.nodeMs;
}

/** The known part of what was paid beside nodes. */
export function besideNanoUsd({ aside }: RunFigures["cost"], kind: AsideLine["kind"]): number {
  return aside.reduce((sum, line) => (line.kind === kind ? sum + line.nanoUsd : sum), 0);
}

/**
 * Runs, by index, that no other run beats: none is at least as cheap, with waits at most as long and as many jobs that ended,
 * and better in one of these. Where no run has a price at all, time on nodes stands for cost.
 */
export function onFront(runs: readonly RunFigures[]): ReadonlySet<number> {
  const hasPrices = runs.some(({ cost }) => cost.total.unpricedNodeMs < cost.total.nodeMs);
  const points = runs.map((run) => {
    const { cost, waitSeconds, jobs } = run;
    // A run with unpriced nodes would look cheaper than it is.
    const isUnknown = hasPrices && cost.total.unpricedNodeMs > 0;
    return [isUnknown ? Number.POSITIVE_INFINITY : costOf(run), waitSeconds?.mean ?? 0, -jobs.ended];
  });
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
