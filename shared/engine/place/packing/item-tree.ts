/**
 * The items that are left in an order, to be found by what a node has left: leaves hold what one slot takes, inner nodes
 * the least that any slot below takes of each column (a min segment tree, a heap: the children of `i` are `2i` and `2i + 1`).
 */
export class ItemTree {
  /** Items in order. */
  readonly items: readonly number[];
  readonly #columns: number;
  readonly #capacity: number;
  readonly #tree: Float64Array;

  constructor(
    items: readonly number[],
    demandOf: (item: number) => readonly number[] | null,
    columns: number,
  ) {
    this.items = items;
    this.#columns = columns;
    let capacity = 1;
    while (capacity < items.length) capacity *= 2;
    this.#capacity = capacity;
    this.#tree = new Float64Array(2 * capacity * columns).fill(Number.POSITIVE_INFINITY);
    items.forEach((item, position) => {
      const demand = demandOf(item);
      if (demand !== null) this.#tree.set(demand, (capacity + position) * columns);
    });
    for (let at = capacity - 1; at >= 1; at--) this.#join(at);
  }

  /** Forgets an item of which nothing is left. */
  drop(position: number): void {
    const columns = this.#columns;
    let at = this.#capacity + position;
    this.#tree.fill(Number.POSITIVE_INFINITY, at * columns, (at + 1) * columns);
    for (at >>= 1; at >= 1; at >>= 1) this.#join(at);
  }

  /** Knows an item again that was forgotten. */
  restore(position: number, demand: readonly number[]): void {
    let at = this.#capacity + position;
    this.#tree.set(demand, at * this.#columns);
    for (at >>= 1; at >= 1; at >>= 1) this.#join(at);
  }

  /** Position of the first item from one on that fits into what is left; -1: none. */
  nextFit(from: number, left: ArrayLike<number>): number {
    if (from >= this.items.length) return -1;
    let at = this.#capacity + from;
    while (at > 0) {
      if (this.#fits(at, left)) {
        if (at >= this.#capacity) return at - this.#capacity;
        at *= 2;
      } else {
        while ((at & 1) === 1) at >>= 1;
        if (at > 0) at++;
      }
    }
    return -1;
  }

  #fits(at: number, left: ArrayLike<number>): boolean {
    const columns = this.#columns;
    const offset = at * columns;
    for (let column = 0; column < columns; column++) {
      const least = this.#tree[offset + column] as number;
      // As generous as the tables of nodes (`covers`), so that what is packed here fits there.
      if ((left[column] as number) < least * (1 - tolerance)) return false;
    }
    return true;
  }

  #join(at: number): void {
    const columns = this.#columns;
    const tree = this.#tree;
    for (let column = 0; column < columns; column++) {
      const left = tree[2 * at * columns + column] as number;
      const right = tree[(2 * at + 1) * columns + column] as number;
      tree[at * columns + column] = left < right ? left : right;
    }
  }
}

/** Fractions must add up; stricter than the tables, which have to take what is packed here. */
const tolerance = 1e-10;
