import type { Fault } from "./faults.ts";
import { type RunOptions, type RunReport, runSeed } from "./run.ts";

export interface Shrunk {
  readonly faults: readonly Fault[];
  /** Places of the jobs that are still needed. */
  readonly jobs: readonly number[];
  readonly report: RunReport;
  readonly runs: number;
}

/** More runs than this are not spent on one failure. */
const mostRuns = 400;

/**
 * The smallest part of a failing run that was found to fail too, by leaving out halves, quarters and so on of its faults
 * and then of its jobs. Any violation counts: with fewer faults a run takes another way, and fails for the same cause.
 */
export async function shrink(failing: RunReport, options: RunOptions): Promise<Shrunk> {
  let best: Shrunk = {
    faults: failing.faults,
    jobs: Array.from({ length: failing.jobs }, (_, index) => index),
    report: failing,
    runs: 0,
  };
  let runs = 0;
  const fails = async (faults: readonly Fault[], jobs: readonly number[]): Promise<boolean> => {
    if (runs >= mostRuns) return false;
    runs += 1;
    const report = await runSeed({ scenario: options.scenario, seed: options.seed, faults, jobs });
    if (report.violations.length === 0) return false;
    best = { faults, jobs, report, runs };
    return true;
  };
  // A list of faults must fail as well as the draws that it came from, or there is nothing to shrink.
  if (!(await fails(best.faults, best.jobs))) return best;
  await reduce(best.faults, (faults) => fails(faults, best.jobs));
  await reduce(best.jobs, (jobs) => fails(best.faults, jobs));
  await reduce(best.faults, (faults) => fails(faults, best.jobs));
  return { ...best, runs };
}

/** Delta debugging: leaves out ever smaller pieces as long as what is left still fails. */
async function reduce<T>(
  values: readonly T[],
  stillFails: (fewer: readonly T[]) => Promise<boolean>,
): Promise<void> {
  let left = values;
  for (let size = Math.ceil(left.length / 2); size >= 1 && left.length > 0; ) {
    let isSmaller = false;
    for (let from = 0; from < left.length; ) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)];
      if (await stillFails(fewer)) {
        left = fewer;
        isSmaller = true;
      } else from += size;
    }
    if (size === 1 && !isSmaller) return;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
}
