import { valueAt } from "../figures/per-job.ts";
import type { RunFigures } from "../figures/run-figures.ts";
import type { TraceJob, TraceJobs } from "../trace-job.ts";
import { Spending } from "./spending.ts";

/** A stretch of time in which two runs differ. */
interface TimeDifference {
  /** On the workload's own clock. */
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  /** Second run minus first: below 0, the second was cheaper. */
  readonly nanoUsd: number;
  readonly nodeMs: number;
  readonly waitingJobMs: number;
}

/** A job that two runs treat differently. Null: it did not run to its end there. */
interface JobDifference {
  readonly job: TraceJob;
  readonly firstWaitSeconds: number | null;
  readonly secondWaitSeconds: number | null;
  readonly firstNanoUsd: number | null;
  readonly secondNanoUsd: number | null;
}

export interface Differences {
  /** Those with the largest difference in cost (without prices: in time on nodes), the largest first. */
  readonly times: readonly TimeDifference[];
  /** Those whose wait differs most, jobs that ran in one of the runs alone first. */
  readonly jobs: readonly JobDifference[];
  readonly jobsSooner: number;
  readonly jobsLater: number;
}

const most = 10;
const leastStepSeconds = 3_600;
const secondsPerDay = 86_400;
const mostSteps = 400;

/** What differs most between two runs of one workload: hours (days, in a long workload), and jobs. */
export function differences(
  jobs: TraceJobs,
  [first, second]: readonly [RunFigures, RunFigures],
): Differences {
  const differing: { readonly place: number; readonly by: number }[] = [];
  for (let place = 0; place < jobs.length; place += 1) {
    const by = laterBy(valueAt(first.perJob.waitSeconds, place), valueAt(second.perJob.waitSeconds, place));
    if (by !== 0) differing.push({ place, by });
  }
  differing.sort((a, b) => Math.abs(b.by) - Math.abs(a.by) || a.place - b.place);
  return {
    times: times(first, second),
    jobs: differing.slice(0, most).flatMap(({ place }): readonly JobDifference[] => {
      const job = jobs.at(place);
      if (job === undefined) return [];
      return [
        {
          job,
          firstWaitSeconds: valueAt(first.perJob.waitSeconds, place),
          secondWaitSeconds: valueAt(second.perJob.waitSeconds, place),
          firstNanoUsd: valueAt(first.perJob.nanoUsd, place),
          secondNanoUsd: valueAt(second.perJob.nanoUsd, place),
        },
      ];
    }),
    jobsSooner: differing.filter(({ by }) => by < 0).length,
    jobsLater: differing.filter(({ by }) => by > 0).length,
  };
}

/** A job that never ran waits longer than any that did. */
function laterBy(before: number | null, after: number | null): number {
  if (before === null || after === null)
    return before === after ? 0 : after === null ? Number.MAX_VALUE : -Number.MAX_VALUE;
  return after - before;
}

function times(first: RunFigures, second: RunFigures): readonly TimeDifference[] {
  const startSeconds = Math.min(first.period.startSeconds, second.period.startSeconds);
  const endSeconds = Math.max(first.period.endSeconds, second.period.endSeconds);
  const coarsest = Math.max(first.series.stepSeconds, second.series.stepSeconds, leastStepSeconds);
  const isLong = (endSeconds - startSeconds) / coarsest > mostSteps;
  const stepSeconds = isLong ? Math.max(coarsest, secondsPerDay) : coarsest;
  const steps = Math.ceil((endSeconds - startSeconds) / stepSeconds);
  const [a, b] = [first, second].map((run) => new Spending(run));
  if (a === undefined || b === undefined) return [];
  const all = Array.from({ length: steps }, (_, step): TimeDifference => {
    const fromSeconds = startSeconds + step * stepSeconds;
    const untilSeconds = fromSeconds + stepSeconds;
    const [of, than] = [b.between(fromSeconds, untilSeconds), a.between(fromSeconds, untilSeconds)];
    return {
      fromSeconds,
      untilSeconds,
      nanoUsd: Math.round(of.nanoUsd - than.nanoUsd),
      nodeMs: Math.round(of.nodeMs - than.nodeMs),
      waitingJobMs: Math.round(of.waitingJobMs - than.waitingJobMs),
    };
  });
  const hasPrices = all.some(({ nanoUsd }) => nanoUsd !== 0);
  const size = ({ nanoUsd, nodeMs }: TimeDifference) => Math.abs(hasPrices ? nanoUsd : nodeMs);
  return all
    .filter((each) => size(each) > 0)
    .toSorted((x, y) => size(y) - size(x) || x.fromSeconds - y.fromSeconds)
    .slice(0, most);
}
