import type { ClusterConfig } from "../../ports/index.ts";
import type { TraceJobs, Workload } from "../trace-job.ts";
import { hasBudgets } from "./memory-ports.ts";

/** When a workload begins that does not say when it was: the start of a day, a month and a year (UTC). */
const epochSeconds = Date.UTC(2027, 0, 1) / 1_000;
/** Clocks that are behind this do not tell the time. No workload takes as many seconds. */
const leastUnixSeconds = Date.UTC(1980, 0, 1) / 1_000;

const daySeconds = 86_400;

/** Jobs that wait while nothing is submitted, runs, boots or ends for so long will wait for ever. A budget may come back next month. */
export function stuckSeconds(config: Pick<ClusterConfig, "cycle">): number {
  return (hasBudgets(config) ? 40 : 7) * daySeconds;
}

/** When the first and the last job are submitted. */
export function spanOf(jobs: TraceJobs): readonly [first: number, last: number] {
  return [jobs.at(0)?.submitSeconds ?? 0, jobs.at(-1)?.submitSeconds ?? 0];
}

/** From a workload's own clock to the virtual one, which tells the time at which its jobs were submitted: schedules go by it. */
export function clockOffset({ jobs, clockStartSeconds = 0 }: Workload): number {
  const [first] = spanOf(jobs);
  return first + clockStartSeconds >= leastUnixSeconds ? clockStartSeconds : epochSeconds - first;
}

/** Whole hours or days, so that a run has a few hundred steps at most; minutes for short ones. */
export function stepFor(spanSeconds: number): number {
  const steps = [60, 300, 900, 3_600, 3 * 3_600, 6 * 3_600, 86_400];
  return steps.find((step) => spanSeconds / step <= 400) ?? 7 * 86_400;
}

/** Yields to the event loop, for a progress bar or a cancellation. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
