import TinyQueue from "tinyqueue";

/** Order of events at one moment: jobs end first and free room, then nodes change, then the service reads the state. */
export const rank = { end: 0, node: 1, control: 2 } as const;

export interface Moment {
  readonly atSeconds: number;
  readonly rank: (typeof rank)[keyof typeof rank];
  readonly order: number;
  readonly happens: () => void | Promise<void>;
}

/** Everything that is due, in order. Time jumps from one moment to the next. */
export class Timeline {
  readonly #moments = new TinyQueue<Moment>(
    [],
    (a, b) => a.atSeconds - b.atSeconds || a.rank - b.rank || a.order - b.order,
  );
  #order = 0;

  at(atSeconds: number, of: Moment["rank"], happens: Moment["happens"]): void {
    this.#order += 1;
    this.#moments.push({ atSeconds, rank: of, order: this.#order, happens });
  }

  peek(): Moment | undefined {
    return this.#moments.peek();
  }

  pop(): Moment | undefined {
    return this.#moments.pop();
  }
}
