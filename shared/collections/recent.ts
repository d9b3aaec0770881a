interface Kept<T> {
  readonly value: T;
  readonly weight: number;
}

/**
 * Values by name, as long as they weigh no more than `most` together: what was not used for longest goes first. The newest
 * stays however much it weighs, since whoever has just made it comes for it again.
 */
export class Recent<T> {
  readonly #most: number;
  readonly #kept = new Map<string, Kept<T>>();
  #weight = 0;

  constructor({ most }: { readonly most: number }) {
    this.#most = most;
  }

  /** That is a use. */
  get(name: string): T | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.value;
  }

  /** In place of what had this name. */
  set(name: string, value: T, weight: number): void {
    this.delete(name);
    this.#kept.set(name, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#most || oldest === name) return;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#weight -= this.#kept.get(name)?.weight ?? 0;
    this.#kept.delete(name);
  }
}
