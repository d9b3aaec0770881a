import type { JobShape } from "./job-shape.ts";

/** Jobs that sit alike and are estimated alike: to a scheduler they differ by their places only. */
export interface WaitingClass {
  readonly shape: JobShape;
  readonly estimateSeconds: number;
  /** Places in the queue, in order, from `first` on. */
  places: number[];
  first: number;
}

/** Waiting jobs by class: a pass reads the few classes, not all jobs. */
export class WaitingClasses {
  readonly #classes = new Map<string, WaitingClass>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(place: number, shape: JobShape, estimateSeconds: number): void {
    const key = `${estimateSeconds} ${shape.key}`;
    let own = this.#classes.get(key);
    if (own === undefined) {
      own = { shape, estimateSeconds, places: [], first: 0 };
      this.#classes.set(key, own);
    }
    this.#size += 1;
    const last = own.places.at(-1);
    if (last === undefined || last < place) own.places.push(place);
    else {
      // A job that was queued again has its old place.
      own.places.splice(0, own.first);
      own.first = 0;
      const index = own.places.findIndex((other) => other > place);
      own.places.splice(index, 0, place);
    }
  }

  /** Takes the first job of a class away. */
  shift(own: WaitingClass): void {
    this.#size -= 1;
    own.first += 1;
    if (own.first < own.places.length) {
      if (own.first > 1_000 && own.first * 2 > own.places.length) {
        own.places = own.places.slice(own.first);
        own.first = 0;
      }
      return;
    }
    this.#classes.delete(`${own.estimateSeconds} ${own.shape.key}`);
  }

  /** The class of the first job that waits; undefined: none does. */
  first(): WaitingClass | undefined {
    let best: WaitingClass | undefined;
    for (const own of this.#classes.values())
      if (best === undefined || firstPlace(own) < firstPlace(best)) best = own;
    return best;
  }

  classes(): Iterable<WaitingClass> {
    return this.#classes.values();
  }
}

export function firstPlace({ places, first }: WaitingClass): number {
  return places[first] ?? Number.POSITIVE_INFINITY;
}
