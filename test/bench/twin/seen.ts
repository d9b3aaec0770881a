import type { WholePlan } from "../../../shared/ports/index.ts";

/** A node as CycleCloud had it; in seconds of the service's clock. */
export interface NodeRecord {
  readonly nodeId: string;
  readonly createdAt: number;
  readonly terminatingAt: number | null;
  readonly terminatedAt: number | null;
}

/** What is known of a run, on the local stack or in the back-test. All times are seconds of the service's clock. */
export interface Seen {
  readonly nodes: readonly NodeRecord[];
  readonly plans: readonly WholePlan[];
}

/** Of an even number the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, each) => sum + each, 0) / middle.length;
}
