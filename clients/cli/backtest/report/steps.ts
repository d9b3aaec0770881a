import type { Purpose } from "../../../../shared/accounting/index.ts";
import type { RunFigures } from "../../../../shared/backtest/index.ts";
import { duration } from "../../../../shared/text/durations.ts";
import { purposes } from "./purposes.ts";

const millisecondsPerSecond = 1_000;
const secondsPerHour = 3_600;
const nanoPerUsd = 1e9;

/** A stretch of a run. Averages over it, but for the cost. */
export interface Step {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  readonly nodes: ReadonlyMap<Purpose, number>;
  readonly usd: ReadonlyMap<Purpose, number>;
  readonly waitingJobs: number;
  readonly waitingProcessors: number;
  readonly runningProcessors: number;
  readonly nodeProcessors: number;
}

/** A run's series in at most so many steps, each several of the original ones. */
export function stepsOf({ period, series }: RunFigures, most: number): readonly Step[] {
  const together = Math.max(1, Math.ceil(series.steps / most));
  const seconds = together * series.stepSeconds;
  return Array.from({ length: Math.ceil(series.steps / together) }, (_, index) => {
    const sum = (column: readonly number[] | undefined) =>
      (column ?? [])
        .slice(index * together, (index + 1) * together)
        .reduce((total, value) => total + value, 0);
    const average = (column: readonly number[] | undefined) =>
      sum(column) / (seconds * millisecondsPerSecond);
    const fromSeconds = period.startSeconds + index * seconds;
    return {
      fromSeconds,
      untilSeconds: fromSeconds + seconds,
      nodes: new Map(purposes.map(({ purpose }) => [purpose, average(series.nodeMs[purpose])])),
      usd: new Map(purposes.map(({ purpose }) => [purpose, sum(series.nanoUsd[purpose]) / nanoPerUsd])),
      waitingJobs: average(series.waitingJobMs),
      waitingProcessors: average(series.waitingProcessorMs),
      runningProcessors: average(series.runningProcessorMs),
      nodeProcessors: average(series.nodeProcessorMs),
    };
  });
}

export function purposesIn({ series }: RunFigures): typeof purposes {
  return purposes.filter(({ purpose }) => series.nodeMs[purpose]?.some((value) => value > 0) === true);
}

/** What a step cost in an hour; without prices the nodes themselves. */
export function rateOf(step: Step, purpose: Purpose, hasPrices: boolean): number {
  if (!hasPrices) return step.nodes.get(purpose) ?? 0;
  const hours = (step.untilSeconds - step.fromSeconds) / secondsPerHour;
  return (step.usd.get(purpose) ?? 0) / hours;
}

/** A class of waits: more than what the one before it holds. */
export interface WaitClass {
  readonly words: string;
  readonly upToSeconds: number;
}

const classEnds = [10, 60, 300, 600, 1_800, 3_600, 10_800, 43_200, 86_400];

export const waitClasses: readonly WaitClass[] = [
  ...classEnds.map((upToSeconds) => ({ words: `≤ ${duration(upToSeconds)}`, upToSeconds })),
  { words: `> ${duration(classEnds.at(-1) ?? 0)}`, upToSeconds: Number.POSITIVE_INFINITY },
];

export function waitCounts({ perJob }: RunFigures): readonly number[] {
  const counts = waitClasses.map(() => 0);
  for (const wait of perJob.waitSeconds) {
    if (Number.isNaN(wait)) continue;
    const index = waitClasses.findIndex(({ upToSeconds }) => wait <= upToSeconds);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}
