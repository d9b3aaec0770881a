import { foldedName } from "../../../../shared/api/index.ts";
import type { Expression } from "./column.ts";
import { sliced } from "./slice.ts";
import { shownValue, type Value } from "./value.ts";

/** One thing that a command lists: its own fields, and what it has of countable things. */
export interface Fields {
  readonly [name: string]: Value;
}

/**
 * `text`: a slice takes characters of what a table shows. `abridged`: the same, and an ellipsis tells that there is more.
 * `data`: of a list it takes members.
 */
export type SliceMode = "text" | "abridged" | "data";

/** The value of an expression; undefined when the record has none. Never throws. */
export function evaluate(expression: Expression, fields: Fields, mode: SliceMode): Value {
  switch (expression.kind) {
    case "value":
      return fieldOf(fields, expression.name);
    case "left":
      return leftOf(fields, expression.name) ?? at(fields, expression.name);
    case "ratio":
      return ratioOf(fields, expression.name);
    case "slice":
      return sliceOf(evaluate(expression.of, fields, mode), expression, mode);
  }
}

/** Whether the record knows the name that an expression is about, also when it has no value for it now. */
export function isKnown(expression: Expression, fields: Fields): boolean {
  if (expression.kind === "slice") return isKnown(expression.of, fields);
  const places = [fields, fields.resources, fields.available, fields.metadata];
  return places.some((place) => isFields(place) && hasPath(place, expression.name));
}

function hasPath(value: Value, path: string): boolean {
  // What is not there now may hold anything when it is.
  if (value === null) return true;
  if (!isFields(value)) return false;
  if (own(value, path) !== undefined) return true;
  const dot = path.indexOf(".");
  return dot >= 0 && hasPath(own(value, path.slice(0, dot)), path.slice(dot + 1));
}

function fieldOf(fields: Fields, name: string): Value {
  return at(fields, name) ?? at(fields.resources, name) ?? at(fields.metadata, name);
}

function leftOf(fields: Fields, name: string): Value {
  return at(fields.available, name);
}

function ratioOf(fields: Fields, name: string): Value {
  const total = at(fields.resources, name);
  const left = leftOf(fields, name);
  if (total === undefined && left === undefined) return at(fields, name);
  return `${shownValue(left) || "?"}/${shownValue(total) || "?"}`;
}

function sliceOf(value: Value, { slice }: Extract<Expression, { kind: "slice" }>, mode: SliceMode): Value {
  if (value === undefined || value === null) return value;
  if (mode === "data" && Array.isArray(value)) return sliced(value, slice);
  const characters = [...shownValue(value)];
  const taken = sliced(characters, slice);
  const isCut = mode === "abridged" && taken.length < characters.length;
  return (isCut ? [...taken.slice(0, -1), "…"] : taken).join("");
}

/** What a path leads to: a name that holds dots, else step by step. Letters' case does not count. */
function at(value: Value, path: string): Value {
  if (!isFields(value)) return undefined;
  const whole = own(value, path);
  const dot = path.indexOf(".");
  if (whole !== undefined || dot < 0) return whole;
  return at(own(value, path.slice(0, dot)), path.slice(dot + 1));
}

function own(fields: Fields, name: string): Value {
  if (Object.hasOwn(fields, name)) return fields[name];
  const before = spelled.get(name);
  if (before !== undefined && Object.hasOwn(fields, before)) return fields[before];
  const wanted = foldedName(name);
  const key = Object.keys(fields).find((each) => foldedName(each) === wanted);
  if (key === undefined) return undefined;
  if (spelled.size < mostSpelled) spelled.set(name, key);
  return fields[key];
}

/** How a name of a column is spelled in records: those of one kind spell it alike. */
const spelled = new Map<string, string>();
const mostSpelled = 10_000;

function isFields(value: Value): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
