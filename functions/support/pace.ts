/**
 * How often something may happen, by name: once in `everySeconds`. Of this process alone, which is what it protects;
 * beyond `mostNames` the one that was seen first is forgotten.
 */
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
}
