import type { RunFigures, Series } from "../figures/run-figures.ts";

/** Sums of a run's series up to any moment: a step is spent evenly. */
export class Spending {
  readonly #startSeconds: number;
  readonly #stepSeconds: number;
  readonly #nanoUsd: readonly number[];
  readonly #nodeMs: readonly number[];
  readonly #waitingJobMs: readonly number[];

  constructor({ period, series }: RunFigures) {
    this.#startSeconds = period.startSeconds;
    this.#stepSeconds = series.stepSeconds;
    this.#nanoUsd = upTo(columnSums(series.nanoUsd, series.steps));
    this.#nodeMs = upTo(columnSums(series.nodeMs, series.steps));
    this.#waitingJobMs = upTo(series.waitingJobMs);
  }

  between(fromSeconds: number, untilSeconds: number) {
    const sum = (sums: readonly number[]) => this.#at(sums, untilSeconds) - this.#at(sums, fromSeconds);
    return {
      nanoUsd: sum(this.#nanoUsd),
      nodeMs: sum(this.#nodeMs),
      waitingJobMs: sum(this.#waitingJobMs),
    };
  }

  #at(sums: readonly number[], seconds: number): number {
    const steps = Math.max(0, (seconds - this.#startSeconds) / this.#stepSeconds);
    const whole = Math.min(Math.floor(steps), sums.length - 1);
    const before = sums[whole] ?? 0;
    const after = sums[whole + 1] ?? before;
    return before + (after - before) * (steps - whole);
  }
}

/** All purposes together, step by step. */
function columnSums(columns: Series["nodeMs"] | Series["nanoUsd"], steps: number): readonly number[] {
  const all = Object.values(columns);
  return Array.from({ length: steps }, (_, step) =>
    all.reduce((sum, column) => sum + (column[step] ?? 0), 0),
  );
}

/** Sums before each step, and one behind the last. */
function upTo(values: readonly number[]): readonly number[] {
  let sum = 0;
  const sums = [0];
  for (const value of values) {
    sum += value;
    sums.push(sum);
  }
  return sums;
}
