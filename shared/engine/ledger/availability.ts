import { covers, leftAfter } from "../values/amounts.ts";

/** Amounts of one slot: parallel arrays of columns and what is wanted of each. */
export interface Demand {
  readonly columns: readonly number[];
  readonly amounts: readonly number[];
}

/** A table starts with room for so many rows: most buckets have few nodes, and there may be thousands of buckets. */
const fewestRows = 4;

/**
 * What the nodes of a bucket have left: one row per node, one column per resource that some job consumes and some node
 * there has; a resource that a node does not have is minus infinity. The rows are the leaves of a binary tree whose inner nodes hold
 * the most that any row below has of each column (a max segment tree, stored as a heap: the children of `i` are `2i`
 * and `2i + 1`). First fit skips every subtree that cannot hold the demand: O(log nodes) for one resource. With several
 * resources a subtree can seem to fit without holding a node that does, so the worst case is linear; a change costs O(log nodes).
 */
export class Availability {
  readonly columns: number;
  length: number;
  #capacity: number;
  #tree: Float64Array;
  /** The row that changed last: what lies above it is worked out when the next one changes, or a search begins. */
  #changed = unchanged;

  /** With the rows that are there from the start; the tree over them is built once. */
  constructor(columns: number, rows: readonly ArrayLike<number>[] = []) {
    this.columns = columns;
    this.length = rows.length;
    this.#capacity = fewestRows;
    while (this.#capacity < rows.length) this.#capacity *= 2;
    this.#tree = emptyTree(this.#capacity, columns);
    rows.forEach((row, index) => {
      this.#tree.set(row, (this.#capacity + index) * columns);
    });
    if (rows.length > 0) for (let at = this.#capacity - 1; at >= 1; at--) this.#join(at);
  }

  /** Whether some row may cover the demand; false: none does. */
  mayFit(demand: Demand): boolean {
    this.#settle();
    return this.length > 0 && this.#covered(1, demand);
  }

  /** Numbers that the tree holds. */
  get cells(): number {
    return this.#tree.length;
  }

  append(row: ArrayLike<number>): void {
    if (this.length === this.#capacity) this.#grow();
    const position = this.length++;
    for (let column = 0; column < this.columns; column++) this.set(position, column, row[column] ?? 0);
  }

  /** Forgets the last row. */
  pop(): void {
    this.length--;
    for (let column = 0; column < this.columns; column++)
      this.set(this.length, column, Number.NEGATIVE_INFINITY);
  }

  get(row: number, column: number): number {
    return this.#tree[(this.#capacity + row) * this.columns + column] as number;
  }

  row(row: number): readonly number[] {
    const amounts = new Array<number>(this.columns);
    for (let column = 0; column < this.columns; column++) amounts[column] = this.get(row, column);
    return amounts;
  }

  take(row: number, column: number, amount: number): void {
    this.set(row, column, leftAfter(this.get(row, column), amount));
  }

  set(row: number, column: number, value: number): void {
    if (row !== this.#changed) {
      this.#settle();
      this.#changed = row;
    }
    this.#tree[(this.#capacity + row) * this.columns + column] = value;
  }

  /** The first row from `from` on that covers the demand; -1: none. */
  firstFit(from: number, demand: Demand): number {
    if (from >= this.length) return -1;
    this.#settle();
    let at = this.#capacity + from;
    while (at > 0) {
      if (this.#covered(at, demand)) {
        if (at >= this.#capacity) return at - this.#capacity;
        at *= 2;
      } else {
        // On to the next subtree on the right: up while coming from the right, then across.
        while ((at & 1) === 1) at >>= 1;
        if (at > 0) at++;
      }
    }
    return -1;
  }

  fits(row: number, demand: Demand): boolean {
    return this.#covered(this.#capacity + row, demand);
  }

  #covered(at: number, { columns, amounts }: Demand): boolean {
    const offset = at * this.columns;
    for (let i = 0; i < columns.length; i++) {
      if (!covers(this.#tree[offset + (columns[i] as number)] as number, amounts[i] as number)) return false;
    }
    return true;
  }

  /** Once for all columns of a row: a node that is made for a job is filled before anybody searches. */
  #settle(): void {
    if (this.#changed === unchanged) return;
    let at = (this.#capacity + this.#changed) >> 1;
    this.#changed = unchanged;
    while (at >= 1 && this.#join(at)) at >>= 1;
  }

  #grow(): void {
    this.#changed = unchanged;
    const before = this.#tree;
    const leaves = this.#capacity * this.columns;
    this.#capacity *= 2;
    this.#tree = emptyTree(this.#capacity, this.columns);
    this.#tree.set(before.subarray(leaves), this.#capacity * this.columns);
    for (let at = this.#capacity - 1; at >= 1; at--) this.#join(at);
  }

  /** Whether that changed anything. */
  #join(at: number): boolean {
    const { columns } = this;
    const tree = this.#tree;
    let hasChanged = false;
    for (let to = at * columns, from = 2 * to; to < (at + 1) * columns; to++, from++) {
      const left = tree[from] as number;
      const right = tree[from + columns] as number;
      const most = left > right ? left : right;
      hasChanged ||= tree[to] !== most;
      tree[to] = most;
    }
    return hasChanged;
  }
}

const unchanged = -1;

/** No row covers anything: every demand wants some of a marker column. */
function emptyTree(capacity: number, columns: number): Float64Array {
  return new Float64Array(2 * capacity * columns).fill(Number.NEGATIVE_INFINITY);
}
