import { formatSize, parseAmount, type Size } from "../../shared/engine/index.ts";

/**
 * What `-o` asks for, as a tree of plain data: it is walked, never run. docs/cli.md describes the language; the words are
 * scalelib's (`name@expression:default`, `*slots`, `/slots`, `name[-5:]`).
 */
export interface Column {
  readonly heading: string;
  readonly expression: Expression;
  /** Shown where the expression gives nothing; null: nothing is shown. */
  readonly fallback: string | null;
}

export type Expression =
  /** A field of the record, else one of its resources, else one of its metadata. Dots lead into what is nested. */
  | { readonly kind: "value"; readonly name: string }
  /** What is left of a resource. */
  | { readonly kind: "left"; readonly name: string }
  /** Left and total: `2/4`. */
  | { readonly kind: "ratio"; readonly name: string }
  | { readonly kind: "slice"; readonly of: Expression; readonly slice: Slice };

/** Python's: one member, or from a start to an end in steps; counted from the end where negative. */
export type Slice =
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "range";
      readonly start: number | null;
      readonly end: number | null;
      readonly step: number;
    };

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

/** `{bytes, magnitude}`, the engine's form of sizes. Other objects are shown as JSON. */
function isAmount(value: object): value is Size {
  if (!("bytes" in value && "magnitude" in value)) return false;
  const { bytes, magnitude } = value;
  return typeof bytes === "number" && parseAmount(`size::1${magnitude}`) !== null;
}
