import { azureLimits } from "../azure-limits.ts";
import { InvariantError } from "../errors.ts";

/** Full string properties that an entity has room for, beside its keys, its columns and the names of all of them. */
const fullProperties = 15;

/** The longest JSON that a row of a table holds, in characters. */
export const longestRow = azureLimits.table.stringCharacters * fullProperties;

/** The JSON of a row's value. Throws InvariantError when it does not fit: whoever made such a value has to make several. */
export function rowText(row: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= longestRow) return text;
  throw new InvariantError(
    `Cannot store row "${row}": ${text.length} characters of JSON, expected at most ${longestRow}`,
  );
}
