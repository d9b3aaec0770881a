/** How often something may happen, by name, in this process: once in `everySeconds`. Beyond `mostNames` the oldest is forgotten. */
export class Pace {
  readonly #everySeconds: number;
  readonly #mostNames: number;
  readonly #lastSeconds = new Map<string, number>();

  constructor({ everySeconds, mostNames = 10_000 }: { everySeconds: number; mostNames?: number }) {
    this.#everySeconds = everySeconds;
    this.#mostNames = mostNames;
  }

  /** Seconds until it may happen again; 0: now, and this was it. */
  waitSeconds(name: string, nowSeconds: number): number {
    const last = this.#lastSeconds.get(name);
    const wait = last === undefined ? 0 : last + this.#everySeconds - nowSeconds;
    // A clock that was set back must not shut anybody out for long.
    if (wait > 0 && wait <= this.#everySeconds) return wait;
    this.#lastSeconds.delete(name);
    this.#lastSeconds.set(name, nowSeconds);
    const [first] = this.#lastSeconds.keys();
    if (this.#lastSeconds.size > this.#mostNames && first !== undefined) this.#lastSeconds.delete(first);
    return 0;
  }

  /** It did not happen after all: it may happen at once. */
  forget(name: string): void {
    this.#lastSeconds.delete(name);
  }
}

/** One after the other, by name, in this process: work that would only lose races against itself. */
export class Turns {
  readonly #mostWaiting: number;
  readonly #lines = new Map<string, { last: Promise<unknown>; waiting: number }>();

  constructor({ mostWaiting }: { mostWaiting: number }) {
    this.#mostWaiting = mostWaiting;
  }

  /** Undefined, at once, when too many wait already. Throws what `work` throws, without blocking others. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> | undefined {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= this.#mostWaiting) return undefined;
    this.#lines.set(name, line);
    line.waiting += 1;
    const done = line.last.then(work).finally(() => {
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(name);
    });
    line.last = done.catch(() => undefined);
    return done;
  }
}

interface Waiter {
  readonly size: number;
  readonly enter: () => void;
}

/** So much at a time, in this process: who finds no room waits, first come, first served. What is more than all of it goes in alone. */
export class Room {
  readonly #most: number;
  #waiting: readonly Waiter[] = [];
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * `onWait` is called once, before it waits. Undefined, without any work, when there was no room within `mostMilliseconds`.
   * Throws what `work` throws.
   */
  async take<T>(
    size: number,
    work: () => Promise<T>,
    { onWait, mostMilliseconds }: { readonly onWait?: () => void; readonly mostMilliseconds?: number } = {},
  ): Promise<T | undefined> {
    if (this.#waiting.length > 0 || !this.#fits(size)) {
      onWait?.();
      if (!(await this.#waitFor(size, mostMilliseconds))) return undefined;
    } else this.#taken += size;
    try {
      return await work();
    } finally {
      this.#taken -= size;
      this.#letIn();
    }
  }

  #waitFor(size: number, mostMilliseconds: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        resolve(false);
        // Who stood behind it may fit.
        this.#letIn();
      };
      const late = mostMilliseconds === undefined ? undefined : setTimeout(leave, mostMilliseconds);
      const enter = () => {
        clearTimeout(late);
        resolve(true);
      };
      const waiter = { size, enter };
      this.#waiting = [...this.#waiting, waiter];
    });
  }

  #fits(size: number): boolean {
    return this.#taken === 0 || this.#taken + size <= this.#most;
  }

  #letIn(): void {
    for (
      let [first] = this.#waiting;
      first !== undefined && this.#fits(first.size);
      [first] = this.#waiting
    ) {
      this.#waiting = this.#waiting.slice(1);
      this.#taken += first.size;
      first.enter();
    }
  }
}
