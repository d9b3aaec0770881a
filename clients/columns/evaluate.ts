import { foldedName } from "../../shared/text/text.ts";
import { type Column, type Expression, type Slice, shownValue, type Value } from "./column.ts";

/** One thing that a command lists: its own fields, and what it has of countable things. */
export interface Fields {
  readonly [name: string]: Value;
}

/**
 * `text`: a slice takes characters of what a table shows. `abridged`: the same, with an ellipsis if there is more.
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

/** The members that a slice takes, in its order. Python's rules: what is beyond the ends is not there. */
export function sliced<T>(members: readonly T[], slice: Slice): readonly T[] {
  const count = members.length;
  if (slice.kind === "index") {
    const at = slice.index < 0 ? slice.index + count : slice.index;
    return members.slice(at, at + 1).filter(() => at >= 0);
  }
  const { start, end, step } = slice;
  // Going down, the end just before the first member is one below 0.
  const [lowest, highest] = step > 0 ? [0, count] : [-1, count - 1];
  const within = (bound: number | null, open: number): number => {
    if (bound === null) return open;
    const at = bound < 0 ? bound + count : bound;
    return Math.min(Math.max(at, lowest), highest);
  };
  const from = within(start, step > 0 ? lowest : highest);
  const to = within(end, step > 0 ? highest : lowest);
  if (step === 1) return members.slice(from, to);
  const taken: T[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) taken.push(members[at] as T);
  return taken;
}

/** Columns of them all: `resources` itself, or `available.ncpus`, which leads through it. */
const wholes: ReadonlySet<string> = new Set(["resources", "available"]);

/** What may be a resource's name of all that columns show; undefined where they show all resources. */
export function resourcesShown(columns: readonly Column[]): readonly string[] | undefined {
  const paths = columns.map(({ expression }) => nameOf(expression));
  const names = new Set(paths.flatMap((path) => [path, path.split(".", 1)[0] ?? path]));
  return [...names].some((name) => wholes.has(foldedName(name))) ? undefined : [...names];
}

function nameOf(expression: Expression): string {
  return expression.kind === "slice" ? nameOf(expression.of) : expression.name;
}
