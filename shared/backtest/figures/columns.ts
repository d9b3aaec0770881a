/** What is counted over time besides nodes. */
export interface Levels {
  readonly waitingJobs: number;
  readonly waitingProcessors: number;
  readonly runningProcessors: number;
  readonly nodeProcessors: number;
}

const names = ["waitingJobs", "waitingProcessors", "runningProcessors", "nodeProcessors"] as const;

/** Levels times milliseconds, in equal steps of time. Whole numbers. */
export class Columns {
  readonly #stepMs: number;
  readonly #startMs: number;
  readonly #columns: { readonly [Name in keyof Levels]: number[] } = {
    waitingJobs: [],
    waitingProcessors: [],
    runningProcessors: [],
    nodeProcessors: [],
  };

  constructor(startMs: number, stepMs: number) {
    this.#startMs = startMs;
    this.#stepMs = stepMs;
  }

  add(levels: Levels, fromMs: number, toMs: number): void {
    for (let at = fromMs; at < toMs; ) {
      const step = Math.floor((at - this.#startMs) / this.#stepMs);
      const next = Math.min(toMs, this.#startMs + (step + 1) * this.#stepMs);
      for (const name of names) {
        const column = this.#columns[name];
        while (column.length <= step) column.push(0);
        column[step] = (column[step] ?? 0) + levels[name] * (next - at);
      }
      at = next;
    }
  }

  column(name: keyof Levels, steps: number): readonly number[] {
    const column = this.#columns[name];
    return Array.from({ length: steps }, (_, step) => column[step] ?? 0);
  }
}
