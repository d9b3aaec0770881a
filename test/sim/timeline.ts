import { setImmediate as turn } from "node:timers/promises";
import TinyQueue from "tinyqueue";

interface Moment {
  readonly atSeconds: number;
  readonly order: number;
  readonly happens: () => void;
}

/** The only time there is in a simulation. It jumps from one moment to the next; nothing waits for real. */
export class Timeline {
  readonly #moments = new TinyQueue<Moment>(
    [],
    (left, right) => left.atSeconds - right.atSeconds || left.order - right.order,
  );
  readonly #onMove: (seconds: number) => void;
  #now: number;
  #order = 0;

  /** `onMove` is told how far the clock goes, for the clocks of others. */
  constructor(startSeconds: number, onMove: (seconds: number) => void) {
    this.#now = startSeconds;
    this.#onMove = onMove;
  }

  get nowSeconds(): number {
    return this.#now;
  }

  /** How many moments there have been: what the size of a simulation is measured in. */
  get moments(): number {
    return this.#order - this.#moments.length;
  }

  after(seconds: number, happens: () => void): void {
    this.#order += 1;
    this.#moments.push({ atSeconds: this.#now + Math.max(0, seconds), order: this.#order, happens });
  }

  wait(seconds: number): Promise<void> {
    return new Promise((resolve) => this.after(seconds, resolve));
  }

  /** Lives through everything until `isOver` says so or the time is up. Asked after each moment. */
  async run(untilSeconds: number, isOver: () => boolean): Promise<void> {
    for (let next = this.#moments.peek(); next !== undefined; next = this.#moments.peek()) {
      if (next.atSeconds > untilSeconds || isOver()) return;
      this.#moments.pop();
      this.#onMove(next.atSeconds - this.#now);
      this.#now = next.atSeconds;
      next.happens();
      // Whoever was woken goes on until it waits again: everything else in a simulation is a microtask.
      await turn();
    }
  }
}
