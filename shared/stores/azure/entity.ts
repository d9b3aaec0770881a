import { InvariantError } from "../../errors/errors.ts";
import { azureLimits, entityProblem } from "../../ports/index.ts";
import { rowText } from "../store-limits.ts";
import { checkVersion, recordVersion } from "./record-version.ts";

const longestProperty = azureLimits.table.stringCharacters;
/** Longest text of a column, which only people read. */
const longestColumn = 1024;

/** Short properties for people who open the table; no code reads them. */
export type Columns = Readonly<Record<string, string | number | boolean>>;

export interface Entity {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly [property: string]: string | number | boolean;
}

/**
 * A value as one entity: its JSON in `payload00`, `payload01`, … as many as it needs. JSON in text keeps null,
 * nesting and fractions, which table properties do not. Throws InvariantError when it does not fit: the
 * caller must split it.
 */
export function toEntity(keys: { partition: string; row: string }, value: unknown, columns: Columns): Entity {
  const payload = split(rowText(keys.row, value)).map((piece, index) => [propertyName(index), piece]);
  return toPointer(keys, { ...columns, recordVersion, ...Object.fromEntries(payload) });
}

/** An entity without a value: it points to another by its key. Throws InvariantError for what Azure refuses. */
export function toPointer(keys: { partition: string; row: string }, columns: Columns): Entity {
  const shown = Object.entries(columns).map(([name, value]) => [name, cut(name, value)]);
  const entity = { ...Object.fromEntries(shown), partitionKey: keys.partition, rowKey: keys.row };
  const problem = entityProblem(entity);
  if (problem !== undefined) throw new InvariantError(`Cannot store row "${keys.row}": ${problem}`);
  return entity;
}

/** Cuts any text to the size of a property, without half of a surrogate pair. */
function cut(name: string, value: Columns[string]): Columns[string] {
  return typeof value !== "string" || name.startsWith("payload")
    ? value
    : value.slice(0, longestColumn).toWellFormed();
}

/**
 * The value of an entity; undefined when it has none (a row that only points to another). Throws InvariantError for one
 * that a newer program wrote.
 */
export function fromEntity<T>(entity: Readonly<Record<string, unknown>>): T | undefined {
  const { recordVersion: version } = entity;
  checkVersion(typeof version === "number" ? version : undefined, `row "${entity.rowKey}"`);
  const pieces: string[] = [];
  for (let index = 0; ; index += 1) {
    const piece = entity[propertyName(index)];
    if (typeof piece !== "string") break;
    pieces.push(piece);
  }
  return pieces.length === 0 ? undefined : JSON.parse(pieces.join(""));
}

/** Pieces that fit a property; a surrogate pair is never cut, because half of one is no valid text. */
function split(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const full = Math.min(start + longestProperty, text.length);
    const cutsPair = full < text.length && /[\ud800-\udbff]/.test(text.charAt(full - 1));
    const end = cutsPair ? full - 1 : full;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function propertyName(index: number): string {
  return `payload${String(index).padStart(2, "0")}`;
}
