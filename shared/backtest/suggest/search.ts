import { costOf } from "../compare/pareto.ts";
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

/** Runs the part of the workload that may be tuned on, once for each; several may run at the same time. */
export type TuneRuns = (each: readonly Varied[]) => Promise<readonly RunFigures[]>;

export interface SearchInput {
  readonly tunables: readonly Tunable[];
  readonly run: TuneRuns;
  /** Runs at most, the one as configured among them. At least 1. */
  readonly budget: number;
  /** The mean wait may grow to so many times what it is as configured, and by half a minute more. */
  readonly longestWait: number;
}

export interface SettingsFound {
  readonly varied: Varied;
  readonly figures: RunFigures;
  readonly configured: RunFigures;
  readonly runs: number;
  /** False: the budget was over before no single change helped any more. */
  readonly isFinished: boolean;
}

const graceSeconds = 30;

/**
 * Coordinate descent: changes one setting at a time, keeps the cheapest value among those with acceptable waits and no fewer
 * jobs, and repeats until no change helps or the budget is used up. It does not find a better pair of dependent settings.
 * The values of one setting are independent, so they run concurrently with the same result.
 */
export async function searchSettings(input: SearchInput): Promise<SettingsFound> {
  const runs = new CountedRuns(input.run, input.budget);
  const [first] = input.tunables;
  await runs.make([{}, ...(first === undefined ? [] : candidates({}, first))]);
  const configured = runs.of({});
  if (configured === undefined) throw new TypeError("Cannot search within 0 runs, expected at least 1");
  let best = { varied: {} as Varied, figures: configured };
  const isAllowed = (figures: RunFigures) =>
    figures.jobs.ended >= configured.jobs.ended &&
    (figures.waitSeconds?.mean ?? 0) <=
      (configured.waitSeconds?.mean ?? 0) * input.longestWait + graceSeconds;
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const tunable of input.tunables) {
      const all = candidates(best.varied, tunable);
      await runs.make(all);
      for (const varied of all) {
        const figures = runs.of(varied);
        if (figures === undefined) return { ...best, configured, runs: runs.count, isFinished: false };
        if (!isAllowed(figures) || costOf(figures) >= costOf(best.figures)) continue;
        best = { varied, figures };
        isBetter = true;
      }
    }
  }
  return { ...best, configured, runs: runs.count, isFinished: true };
}

/** The settings with each value of one of them. */
function candidates(varied: Varied, tunable: Tunable): readonly Varied[] {
  return tunable.values.map((value) => withSetting(varied, tunable, value));
}

/** The settings with one more. A value equal to the configured one is left out, so that equal settings are one run. */
function withSetting(varied: Varied, { key, now }: Tunable, value: SettingValue): Varied {
  const { [key]: _, ...others } = varied;
  return JSON.stringify(value) === JSON.stringify(now) ? others : sorted({ ...others, [key]: value });
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

class CountedRuns {
  readonly #run: TuneRuns;
  readonly #budget: number;
  readonly #figures = new Map<string, RunFigures>();

  constructor(run: TuneRuns, budget: number) {
    this.#run = run;
    this.#budget = budget;
  }

  get count(): number {
    return this.#figures.size;
  }

  /** Runs those that have not run yet, in order, within the budget. */
  async make(all: readonly Varied[]): Promise<void> {
    const byKey = new Map(all.map((varied) => [variedKey(varied), varied]));
    const fresh = [...byKey].filter(([key]) => !this.#figures.has(key)).slice(0, this.#budget - this.count);
    const figures = fresh.length === 0 ? [] : await this.#run(fresh.map(([, varied]) => varied));
    for (const [index, [key]] of fresh.entries()) {
      const own = figures[index];
      if (own !== undefined) this.#figures.set(key, own);
    }
  }

  /** Undefined: the budget did not allow this run. */
  of(varied: Varied): RunFigures | undefined {
    return this.#figures.get(variedKey(varied));
  }
}

function variedKey(varied: Varied): string {
  return JSON.stringify(sorted(varied));
}
