import { amountOf, unitOf } from "../values/amounts.ts";
import { memberOf } from "../values/resources.ts";
import type { Stock } from "./stock.ts";

/** Column 0 of every table: 1 while no job is on the node. An exclusive job demands it. */
export const vacantColumn = 0;
/** Column 1 of every table: 1 while the node takes further jobs. Every job demands it. */
export const open = 1;
export const firstResource = 2;

/** The resources that jobs of this plan ask amounts of, numbered. Others are never counted down. */
export class WantedResources {
  readonly #byName = new Map<string, number>();

  /** The number of a resource, a new one if need be. */
  of(resource: string): number {
    const known = this.#byName.get(resource);
    if (known !== undefined) return known;
    const id = this.#byName.size;
    this.#byName.set(resource, id);
    return id;
  }

  find(resource: string): number | undefined {
    return this.#byName.get(resource);
  }
}

/**
 * What the columns of a bucket's table hold: the markers, then every wanted resource of which some node there has an
 * amount. What jobs ask for and no node has costs no column. Buckets that count the same in the same units share one.
 */
export interface Columns {
  readonly names: readonly string[];
  /** Columns by resource. */
  readonly byName: ReadonlyMap<string, number>;
  /** One unit of each column: 1 for numbers, bytes for sizes. */
  readonly units: readonly number[];
  readonly count: number;
}

/** Makes the columns of tables, one object per distinct set. */
export class ColumnSets {
  readonly #wanted: WantedResources;
  readonly #byKey = new Map<string, Columns>();

  constructor(wanted: WantedResources) {
    this.#wanted = wanted;
  }

  /** For a bucket by its stocks; amounts without a unit are in the example's. */
  of(example: Stock, stocks: Iterable<Stock>): Columns {
    const found = new Map<string, number>();
    this.#note(example, found);
    for (const stock of stocks) this.#note(stock, found);
    const names = [...found].sort(([, a], [, b]) => a - b).map(([name]) => name);
    const units = [1, 1, ...names.map((name) => unitOf(memberOf(example.resources, name)))];
    const key = JSON.stringify([names, units]);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const byName = new Map(names.map((name, index) => [name, firstResource + index]));
    const columns = { names, byName, units, count: firstResource + names.length };
    this.#byKey.set(key, columns);
    return columns;
  }

  #note({ resources }: Stock, found: Map<string, number>): void {
    for (const [name, value] of Object.entries(resources)) {
      const id = this.#wanted.find(name);
      if (id !== undefined && Number.isFinite(amountOf(value))) found.set(name, id);
    }
  }
}

/** A row of a table: what an empty node of this stock has, sizes in bytes. */
export function rowOf(stock: Stock, { names }: Columns): readonly number[] {
  return [1, 1, ...names.map((name) => amountOf(memberOf(stock.resources, name)))];
}
