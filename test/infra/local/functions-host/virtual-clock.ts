import type { Clock } from "../../../../infra/local/functions-host/clock.ts";

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now = (): number => this.#now;

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves on to a time and fires what falls due, in order; whatever a timer sets off gets its turn at once. */
  async moveTo(time: string): Promise<void> {
    const end = Date.parse(time);
    for (;;) {
      await settled();
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }
}

/** Lets all promise reactions that are ready run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
