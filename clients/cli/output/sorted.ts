import { compareNodeNames } from "../../../shared/engine/index.ts";
import type { Column, Value } from "../../columns/column.ts";
import { evaluate, type Fields, isKnown } from "../../columns/evaluate.ts";
import { parseColumns, splitColumns } from "../../columns/parse-columns.ts";
import { CommandFailure } from "../exit-code.ts";

export interface SortKey {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** What `--sort` names, such as `idle` or `-usd_per_hour,name` (`-`: the largest first); or every problem. */
export function parseSort(
  text: string,
):
  | { readonly ok: true; readonly keys: readonly SortKey[] }
  | { readonly ok: false; readonly problem: string } {
  const texts = splitColumns(text);
  if (texts.length === 0) return { ok: false, problem: "no columns, expected at least one" };
  const parsed = parseColumns(texts.map((each) => each.replace(/^-/, "")));
  if (!parsed.ok) return { ok: false, problem: parsed.problems.join("; ") };
  const keys = parsed.columns.map((column, at) => ({
    column,
    isDescending: texts[at]?.startsWith("-") === true,
  }));
  return { ok: true, keys };
}

/**
 * Items by the keys, the first of them first. What has no value comes last, in either direction. `fieldsOf` gives what keys
 * are read from: durations in seconds there, since "9s" is no number. Throws CommandFailure for a key that no item has.
 */
export function sorted<T>(
  items: readonly T[],
  keys: readonly SortKey[],
  fieldsOf: (item: T) => Fields,
): readonly T[] {
  const rows = items.map((item) => ({ item, fields: fieldsOf(item) }));
  const unknown = keys.filter(
    ({ column }) => rows.length > 0 && !rows.some(({ fields }) => isKnown(column.expression, fields)),
  );
  if (unknown.length > 0)
    throw new CommandFailure(
      `Cannot sort by ${unknown.map(({ column }) => `"${column.heading}"`).join(", ")}: no record has it`,
      '"--format json" shows every field.',
    );
  const valued = rows.map(({ item, fields }) => ({
    item,
    values: keys.map(({ column }) => comparable(evaluate(column.expression, fields, "data"))),
  }));
  return valued
    .toSorted((a, b) => {
      for (const [at, { isDescending }] of keys.entries()) {
        const order = compared(a.values[at] ?? null, b.values[at] ?? null, isDescending);
        if (order !== 0) return order;
      }
      return 0;
    })
    .map(({ item }) => item);
}

function compared(a: string | number | null, b: string | number | null, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : compareNodeNames(`${a}`, `${b}`);
  return isDescending ? -order : order;
}

/** Sizes by their bytes, lists by how many they hold, an empty text as nothing. */
function comparable(value: Value): string | number | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  if (Array.isArray(value)) return value.length;
  const { bytes } = value as Fields;
  return typeof bytes === "number" ? bytes : JSON.stringify(value);
}
