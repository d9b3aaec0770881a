import type { Workload } from "../trace-job.ts";
import { chosen } from "../workload/job-columns.ts";
import { clockOffset } from "../world/pace.ts";

const secondsPerDay = 86_400;

/** A workload in two parts: one to tune on, one to check the result. */
export interface SplitWorkload {
  readonly tune: Workload;
  readonly check: Workload;
}

/**
 * Splits by time of submission, at the end of a whole day if it is longer than a few: about so large a share of the time is in
 * front, of which no more than the last `mostSeconds` are tuned on. Undefined: one of the parts would have no job.
 */
export function splitWorkload(
  workload: Workload,
  share: number,
  mostSeconds = Number.POSITIVE_INFINITY,
): SplitWorkload | undefined {
  const { jobs, leftOut, ...rest } = workload;
  // Both parts tell the time as the whole does, or hours and days of the week would be others in each.
  const about = { ...rest, clockStartSeconds: clockOffset(workload) };
  const first = jobs.at(0)?.submitSeconds ?? 0;
  const last = jobs.at(-1)?.submitSeconds ?? 0;
  const at = (last - first) * share;
  const seconds = last - first > 4 * secondsPerDay ? Math.round(at / secondsPerDay) * secondsPerDay : at;
  const tune = chosen(jobs, ({ submitSeconds }) => {
    const after = submitSeconds - first;
    return after <= seconds && after > seconds - mostSeconds;
  });
  const check = chosen(jobs, ({ submitSeconds }) => submitSeconds - first > seconds);
  if (tune.length === 0 || check.length === 0) return undefined;
  return { tune: { ...about, jobs: tune, leftOut }, check: { ...about, jobs: check, leftOut: [] } };
}
