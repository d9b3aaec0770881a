import { formatSize, parseAmount, type Size } from "../../../../shared/engine/index.ts";

/** What a column may show: JSON, and nothing. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [name: string]: Value };

const mostDigits = 3;

/** A value as text: lists with commas, sizes with their unit, nothing as nothing. */
export function shownValue(value: Value): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(mostDigits)));
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map(shownValue).join(",");
  if (isAmount(value)) return formatSize(value);
  return JSON.stringify(value);
}

/** `{bytes, magnitude}`, as the engine holds sizes; whoever sends something else gets it shown as JSON. */
function isAmount(value: object): value is Size {
  if (!("bytes" in value && "magnitude" in value)) return false;
  const { bytes, magnitude } = value;
  return typeof bytes === "number" && parseAmount(`size::1${magnitude}`) !== null;
}
