/**
 * One after the other, by name, within this process: work that would only lose races against itself when done at the
 * same moment. Other processes are kept apart by ETags.
 */
export class Turns {
  readonly #mostWaiting: number;
  readonly #lines = new Map<string, { last: Promise<unknown>; waiting: number }>();

  constructor({ mostWaiting }: { mostWaiting: number }) {
    this.#mostWaiting = mostWaiting;
  }

  /** Undefined, at once, when too many wait already. What `work` throws is thrown, and holds up nobody. */
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
