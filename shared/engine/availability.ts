/** Nodes of a bucket are scanned in blocks of this many. */
const BLOCK = 64;

/** Amounts of one slot: parallel arrays of columns and what is wanted of each. */
export interface Demand {
  readonly columns: readonly number[];
  readonly amounts: readonly number[];
}

/** Fractions (0.1 cpus, ten times) must add up: comparisons forgive this share of the amount. */
const TOLERANCE = 1e-9;

/** Whether what is left covers an amount, up to rounding. */
export function covers(left: number, amount: number): boolean {
  return left >= amount - Math.abs(amount) * TOLERANCE;
}

/** How many times an amount fits into what is left. */
export function timesInto(left: number, amount: number): number {
  return amount === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / amount + TOLERANCE);
}

/**
 * What the nodes of a bucket have left, one row per node and one column per resource that some job consumes;
 * a resource that a node does not have is minus infinity there. Every block of rows keeps an upper bound per
 * column, so that first fit passes over full blocks in one step each. Bounds are only ever too high: taking
 * leaves them, giving back raises them, and a fruitless scan of a block tightens them. First fit thus costs
 * O(nodes / 64) on full buckets instead of O(nodes).
 */
export class Availability {
  readonly columns: number;
  length = 0;
  private rows: Float64Array;
  private bounds: Float64Array;

  constructor(columns: number) {
    this.columns = columns;
    this.rows = new Float64Array(BLOCK * columns);
    this.bounds = new Float64Array(columns);
  }

  append(row: ArrayLike<number>): void {
    this.grow();
    const offset = this.length * this.columns;
    const bound = Math.floor(this.length / BLOCK) * this.columns;
    const first = this.length % BLOCK === 0;
    for (let column = 0; column < this.columns; column++) {
      const value = row[column] ?? 0;
      this.rows[offset + column] = value;
      const known = first ? Number.NEGATIVE_INFINITY : (this.bounds[bound + column] ?? 0);
      this.bounds[bound + column] = Math.max(known, value);
    }
    this.length++;
  }

  /** Forgets the last row. */
  pop(): void {
    this.length--;
  }

  get(row: number, column: number): number {
    return this.rows[row * this.columns + column] ?? 0;
  }

  take(row: number, column: number, amount: number): void {
    const offset = row * this.columns + column;
    const left = (this.rows[offset] ?? 0) - amount;
    this.rows[offset] = left < 0 && left > -Math.abs(amount) * TOLERANCE ? 0 : left;
  }

  /** Writes a value that may be larger than before. */
  set(row: number, column: number, value: number): void {
    this.rows[row * this.columns + column] = value;
    const bound = Math.floor(row / BLOCK) * this.columns + column;
    if (value > (this.bounds[bound] ?? 0)) this.bounds[bound] = value;
  }

  /** The first row from `from` on that covers the demand; -1: none. */
  firstFit(from: number, demand: Demand): number {
    let row = from;
    while (row < this.length) {
      const block = Math.floor(row / BLOCK);
      const end = Math.min((block + 1) * BLOCK, this.length);
      if (this.blockMayFit(block, demand)) {
        const found = this.scan(row, end, demand);
        if (found >= 0) return found;
        if (row === block * BLOCK) this.tighten(block, end, demand);
      }
      row = end;
    }
    return -1;
  }

  fits(row: number, demand: Demand): boolean {
    const offset = row * this.columns;
    for (let i = 0; i < demand.columns.length; i++) {
      if (!covers(this.rows[offset + (demand.columns[i] ?? 0)] ?? 0, demand.amounts[i] ?? 0)) return false;
    }
    return true;
  }

  private blockMayFit(block: number, demand: Demand): boolean {
    const offset = block * this.columns;
    for (let i = 0; i < demand.columns.length; i++) {
      if (!covers(this.bounds[offset + (demand.columns[i] ?? 0)] ?? 0, demand.amounts[i] ?? 0)) return false;
    }
    return true;
  }

  private scan(from: number, end: number, demand: Demand): number {
    for (let row = from; row < end; row++) if (this.fits(row, demand)) return row;
    return -1;
  }

  private tighten(block: number, end: number, demand: Demand): void {
    for (const column of demand.columns) {
      let bound = Number.NEGATIVE_INFINITY;
      for (let row = block * BLOCK; row < end; row++) bound = Math.max(bound, this.get(row, column));
      this.bounds[block * this.columns + column] = bound;
    }
  }

  private grow(): void {
    if ((this.length + 1) * this.columns <= this.rows.length) return;
    const rows = new Float64Array(this.rows.length * 2);
    rows.set(this.rows);
    this.rows = rows;
    const bounds = new Float64Array(Math.ceil(rows.length / BLOCK) + this.columns);
    bounds.set(this.bounds);
    this.bounds = bounds;
  }
}
