import type { Demand } from "./availability.ts";

/** More would cost more to ask than it saves. */
const mostEntries = 32;

/**
 * What searches of a bucket's table taught: rows before `row` cannot hold the demand. Left-overs only shrink, so
 * the same is true of every demand that wants as much or more of everything. Makes the first search of a shape start
 * where its smaller relatives gave up; matters when every job has a shape of its own.
 */
export class SearchMemory {
  readonly #entries: { demand: Demand; row: number }[] = [];
  #oldest = 0;

  /** Left-overs grew: what was learnt is no longer true. */
  forget(): void {
    this.#entries.length = 0;
  }

  /** The first row that may hold the demand, as far as is known. */
  startFor(demand: Demand): number {
    let start = 0;
    for (const known of this.#entries)
      if (known.row > start && wantsAsMuch(demand, known.demand)) start = known.row;
    return start;
  }

  /** Notes that no row before `row` holds the demand. */
  learn(demand: Demand, row: number): void {
    for (const known of this.#entries) {
      if (known.row > row || !wantsAsMuch(known.demand, demand)) continue;
      known.demand = demand;
      known.row = row;
      return;
    }
    if (this.#entries.length < mostEntries) this.#entries.push({ demand, row });
    else this.#entries[this.#oldest++ % mostEntries] = { demand, row };
  }
}

/** Whether a demand wants at least what another does, of the same columns. */
function wantsAsMuch(demand: Demand, other: Demand): boolean {
  const { columns, amounts } = demand;
  if (columns.length !== other.columns.length) return false;
  for (let i = 0; i < columns.length; i++) {
    if (columns[i] !== other.columns[i] || (amounts[i] as number) < (other.amounts[i] as number))
      return false;
  }
  return true;
}
