/** What a job that starts beside a reservation may be. */
export interface Gap {
  /** Processors that are free now. */
  readonly free: number;
  /** The free processors that the reservation does not need: usable for any time. */
  readonly extra: number;
  /** Time until the reservation: a job that takes no longer may use the others. */
  readonly seconds: number;
}

/**
 * Jobs that wait, by their places in the queue, so that the next one for a gap is found without looking at all. Two trees of
 * minima: each entry has the fewest processors, and the shortest estimate, of the two below it.
 */
export class WaitingJobs {
  readonly #size: number;
  readonly #processors: Float64Array;
  readonly #seconds: Float64Array;

  constructor(places: number) {
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(1, places)));
    this.#processors = new Float64Array(2 * this.#size).fill(Number.POSITIVE_INFINITY);
    this.#seconds = new Float64Array(2 * this.#size).fill(Number.POSITIVE_INFINITY);
  }

  add(place: number, job: { readonly processors: number; readonly estimateSeconds: number }): void {
    this.#set(place, job.processors, job.estimateSeconds);
  }

  remove(place: number): void {
    this.#set(place, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  has(place: number): boolean {
    return this.#at(this.#processors, this.#size + place) < Number.POSITIVE_INFINITY;
  }

  /** The first job at or behind a place that fits into a gap; undefined: none. */
  nextFor(gap: Gap, place: number): number | undefined {
    return this.#search(1, { first: 0, count: this.#size }, { gap, from: place });
  }

  #search(
    entry: number,
    covers: { readonly first: number; readonly count: number },
    wanted: { readonly gap: Gap; readonly from: number },
  ): number | undefined {
    const { first, count } = covers;
    if (first + count <= wanted.from || !this.#mayFit(entry, wanted.gap)) return undefined;
    if (count === 1) return first;
    const half = count / 2;
    return (
      this.#search(2 * entry, { first, count: half }, wanted) ??
      this.#search(2 * entry + 1, { first: first + half, count: half }, wanted)
    );
  }

  /** Exact for a single job. */
  #mayFit(entry: number, { free, extra, seconds }: Gap): boolean {
    const processors = this.#at(this.#processors, entry);
    return processors <= free && (processors <= extra || this.#at(this.#seconds, entry) <= seconds);
  }

  #set(place: number, processors: number, seconds: number): void {
    let entry = this.#size + place;
    this.#processors[entry] = processors;
    this.#seconds[entry] = seconds;
    for (entry >>= 1; entry >= 1; entry >>= 1) {
      this.#processors[entry] = Math.min(
        this.#at(this.#processors, 2 * entry),
        this.#at(this.#processors, 2 * entry + 1),
      );
      this.#seconds[entry] = Math.min(
        this.#at(this.#seconds, 2 * entry),
        this.#at(this.#seconds, 2 * entry + 1),
      );
    }
  }

  #at(values: Float64Array, index: number): number {
    return values[index] ?? Number.POSITIVE_INFINITY;
  }
}
