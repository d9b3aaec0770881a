import type { Demand } from "./availability.ts";

/** More would cost more to ask than it saves. */
const mostEntries = 32;

interface Entry {
  readonly demand: Demand;
  /** No row before this one holds the demand. */
  readonly row: number;
}

/**
 * What searches of a bucket's table taught: rows before `row` cannot hold the demand. Left-overs only shrink, so
 * the same is true of every demand that wants as much or more of everything. Makes the first search of a shape start
 * where its smaller relatives gave up; matters when every job has a shape of its own.
 */
export class SearchMemory {
  /** The largest row first: the first entry that says something about a demand says the most. */
  readonly #entries: Entry[] = [];
  /** The same, the oldest first. */
  readonly #byAge: Entry[] = [];

  /** Left-overs grew: what was learnt is no longer true. */
  forget(): void {
    this.#entries.length = 0;
    this.#byAge.length = 0;
  }

  /** The first row that may hold the demand, as far as is known. */
  startFor(demand: Demand): number {
    const entries = this.#entries;
    for (let i = 0; i < entries.length; i++) {
      const known = entries[i] as Entry;
      if (wantsAsMuch(demand, known.demand)) return known.row;
    }
    return 0;
  }

  /** Notes that no row before `row` holds the demand. */
  learn(demand: Demand, row: number): void {
    if (row === 0) return;
    const entries = this.#entries;
    const isImplied = (known: Entry): boolean => known.row <= row && wantsAsMuch(known.demand, demand);
    const old = entries.find(isImplied) ?? (entries.length < mostEntries ? undefined : this.#byAge[0]);
    if (old !== undefined) {
      entries.splice(entries.indexOf(old), 1);
      this.#byAge.splice(this.#byAge.indexOf(old), 1);
    }
    const made = { demand, row };
    this.#byAge.push(made);
    let at = entries.length;
    while (at > 0 && (entries[at - 1] as Entry).row < row) at--;
    entries.splice(at, 0, made);
  }
}

/** Whether a demand wants at least what another does, of the same columns. */
function wantsAsMuch(demand: Demand, other: Demand): boolean {
  const { columns, amounts } = demand;
  if (columns !== other.columns && !isSame(columns, other.columns)) return false;
  for (let i = 0; i < amounts.length; i++)
    if ((amounts[i] as number) < (other.amounts[i] as number)) return false;
  return true;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
