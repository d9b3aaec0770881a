import { ConflictError } from "../../errors/errors.ts";
import type { IfMatch, Stored } from "../../ports/index.ts";
import { rowText } from "../store-limits.ts";

interface Row<T> {
  readonly text: string;
  readonly etag: string;
  /** Parsed from the text on first use. All readers share it, so it is frozen. */
  value?: T;
}

/**
 * Named values with ETags, the twin of a blob container. Values are kept as JSON text: whatever JSON cannot carry is lost here too, as
 * it is in Azure. A caller that changes what it read gets a TypeError.
 */
export class Records<T> {
  readonly #rows = new Map<string, Row<T>>();
  readonly #noun: string;
  readonly #isRow: boolean;
  #writes = 0;

  /**
   * `noun` names a record in a ConflictError: `operation` gives `operation ["c","a-1"]`. `isRow`: in Azure it is a row of a
   * table, so that it takes no more than one.
   */
  constructor(noun: string, { isRow = false }: { readonly isRow?: boolean } = {}) {
    this.#noun = noun;
    this.#isRow = isRow;
  }

  get(key: string): Stored<T> | undefined {
    const row = this.#rows.get(key);
    return row === undefined ? undefined : stored(row);
  }

  /** Keys and values in the order in which the keys were first put. */
  entries(): { readonly key: string; readonly stored: Stored<T> }[] {
    return [...this.#rows].map(([key, row]) => ({ key, stored: stored(row) }));
  }

  /** Records for which `counts` is true. */
  which(counts: (value: T) => boolean): Stored<T>[] {
    return [...this.#rows.values()].map(stored).filter(({ value }) => counts(value));
  }

  /** Overwrites whatever is there. Returns the new ETag. */
  put(key: string, value: T): string {
    this.#writes += 1;
    const etag = `"${this.#writes}"`;
    this.#rows.set(key, { text: this.#isRow ? rowText(key, value) : JSON.stringify(value), etag });
    return etag;
  }

  /** Throws ConflictError unless the record still has this ETag, or is still absent. Returns the new ETag. */
  save(key: string, value: T, ifMatch: IfMatch): string {
    if (this.#rows.get(key)?.etag !== ifMatch) throw new ConflictError(`${this.#noun} ${key}`);
    return this.put(key, value);
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }
}

/** One key of several names; no two lists of names give the same key. */
export function recordKey(...names: readonly string[]): string {
  return JSON.stringify(names);
}

function stored<T>(row: Row<T>): Stored<T> {
  row.value ??= frozen(JSON.parse(row.text)) as T;
  return { value: row.value, etag: row.etag };
}

function frozen(json: unknown): unknown {
  if (typeof json === "object" && json !== null) Object.values(json).forEach(frozen);
  return Object.freeze(json);
}
