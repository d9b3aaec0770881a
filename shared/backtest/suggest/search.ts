import { costOf } from "../compare/summary.ts";
import type { RunFigures, SettingValue } from "../figures/run-figures.ts";

export type Varied = RunFigures["setup"]["varied"];

/** A setting that the search may change. */
export interface Tunable {
  /** Path of the configuration: `idle_timeout.htc`, `placement`, `spot.patience`. */
  readonly key: string;
  readonly values: readonly SettingValue[];
  /** As configured. */
  readonly now: SettingValue;
}

/** Runs the part of the workload that may be tuned on. */
export type TuneRun = (varied: Varied) => Promise<RunFigures>;

export interface SearchInput {
  readonly tunables: readonly Tunable[];
  readonly run: TuneRun;
  /** Runs at most, the one as configured among them. At least 1. */
  readonly budget: number;
  /** The mean wait may grow to so many times what it is as configured, and by half a minute more. */
  readonly longestWait: number;
}

export interface Found {
  readonly varied: Varied;
  readonly figures: RunFigures;
  readonly configured: RunFigures;
  readonly runs: number;
  /** False: the budget was over before no single change helped any more. */
  readonly isFinished: boolean;
}

const graceSeconds = 30;

/**
 * Changes one setting at a time, keeps what is cheapest of what waits not too long and runs no fewer jobs, and goes round until
 * no change helps or the budget is over. Settings that depend on each other may have a better pair that this does not find.
 */
export async function searchSettings(input: SearchInput): Promise<Found> {
  const runs = new CountedRuns(input.run, input.budget);
  const configured = await runs.of({});
  if (configured === undefined) throw new TypeError("Cannot search within 0 runs, expected at least 1");
  let best = { varied: {} as Varied, figures: configured };
  const isAllowed = (figures: RunFigures) =>
    figures.jobs.ended >= configured.jobs.ended &&
    (figures.waitSeconds?.mean ?? 0) <=
      (configured.waitSeconds?.mean ?? 0) * input.longestWait + graceSeconds;
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const tunable of input.tunables)
      for (const value of tunable.values) {
        const varied = withSetting(best.varied, tunable, value);
        const figures = await runs.of(varied);
        if (figures === undefined) return { ...best, configured, runs: runs.count, isFinished: false };
        if (!isAllowed(figures) || costOf(figures) >= costOf(best.figures)) continue;
        best = { varied, figures };
        isBetter = true;
      }
  }
  return { ...best, configured, runs: runs.count, isFinished: true };
}

/** The settings with one more. A value as configured is left out, so that the same settings are the same run. */
function withSetting(varied: Varied, { key, now }: Tunable, value: SettingValue): Varied {
  const { [key]: _, ...others } = varied;
  return JSON.stringify(value) === JSON.stringify(now) ? others : sorted({ ...others, [key]: value });
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

class CountedRuns {
  readonly #run: TuneRun;
  readonly #budget: number;
  readonly #known = new Map<string, RunFigures>();

  constructor(run: TuneRun, budget: number) {
    this.#run = run;
    this.#budget = budget;
  }

  get count(): number {
    return this.#known.size;
  }

  /** Undefined: it would be one too many. What ran already does not run again. */
  async of(varied: Varied): Promise<RunFigures | undefined> {
    const key = JSON.stringify(sorted(varied));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#budget) return undefined;
    const figures = await this.#run(varied);
    this.#known.set(key, figures);
    return figures;
  }
}
