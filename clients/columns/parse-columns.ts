import type { Column, Expression, Slice } from "./column.ts";

export type ParsedColumns =
  | { readonly ok: true; readonly columns: readonly Column[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const longestColumn = 200;
const mostColumns = 100;
const largestIndex = 1_000_000;

/** `heading@` (optional), `*` or `/`, the name, `[slice]`, `:default`; spaces around it do not count. */
const shape =
  /^(?:(?<heading>[^@]*)@)?(?<prefix>[*/]?)(?<name>[\w-]+(?:\.[\w-]+)*)(?<slice>\[[^\]]*\])?(?::(?<fallback>.*))?$/u;

const rangeShape = /^(?<start>-?\d+)?:(?<end>-?\d+)?(?::(?<step>-?\d+)?)?$/;

/** Reads columns as they follow `-o`, or as a configuration lists them. Names every one that cannot be read. */
export function parseColumns(texts: readonly string[]): ParsedColumns {
  if (texts.length > mostColumns)
    return { ok: false, problems: [`${texts.length} columns, expected at most ${mostColumns}`] };
  const parsed = texts.map(parseColumn);
  const problems = parsed.filter((each) => typeof each === "string");
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, columns: parsed.filter((each) => typeof each !== "string") };
}

/** Splits `a,b[1:2],c`. A comma is never part of a column. */
export function splitColumns(list: string): readonly string[] {
  return list
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** A column, or what is wrong with it. */
function parseColumn(given: string): Column | string {
  const text = given.trim();
  if (text.length > longestColumn)
    return `column ${JSON.stringify(`${text.slice(0, 20)}…`)}: ${text.length} characters, expected at most ${longestColumn}`;
  const groups = shape.exec(text)?.groups;
  const name = groups?.name?.toLowerCase();
  if (groups === undefined || name === undefined)
    return `column ${JSON.stringify(text)}: expected a name such as "hostname", "*ncpus", "/ncpus", "vm@vm_size", "name[-5:]" or "hostname:tbd"`;
  const slice = groups.slice === undefined ? null : parseSlice(groups.slice.slice(1, -1));
  if (typeof slice === "string") return `column ${JSON.stringify(text)}: ${slice}`;
  const whole: Expression = { kind: kindOf(groups.prefix), name };
  return {
    heading: headingOf(groups.heading, groups.prefix, name),
    expression: slice === null ? whole : { kind: "slice", of: whole, slice },
    fallback: groups.fallback ?? null,
  };
}

function kindOf(prefix: string | undefined): "left" | "ratio" | "value" {
  if (prefix === "*") return "left";
  return prefix === "/" ? "ratio" : "value";
}

/** As in the reference, `*slots` is headed so, and `/slots` by its name alone. */
function headingOf(heading: string | undefined, prefix: string | undefined, name: string): string {
  const own = heading?.trim().toLowerCase() ?? "";
  if (own !== "") return own;
  return prefix === "*" ? `*${name}` : name;
}

/** A slice, or what is wrong with it. */
function parseSlice(text: string): Slice | string {
  if (/^-?\d+$/.test(text)) return bounded({ kind: "index", index: Number(text) });
  const groups = rangeShape.exec(text)?.groups;
  if (groups === undefined) return `slice "[${text}]", expected "[start:end:step]" in whole numbers`;
  const step = groups.step === undefined ? 1 : Number(groups.step);
  if (step === 0) return "slice step 0, expected another one";
  return bounded({ kind: "range", start: whole(groups.start), end: whole(groups.end), step });
}

function whole(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function bounded(slice: Slice): Slice | string {
  const numbers = slice.kind === "index" ? [slice.index] : [slice.start ?? 0, slice.end ?? 0, slice.step];
  const isSmall = numbers.every((number) => Math.abs(number) <= largestIndex);
  return isSmall ? slice : `a slice beyond ${largestIndex}, expected smaller numbers`;
}

/** The columns of texts such as "name,vm@vm_size,ncpus:-", as `-o` takes them. */
export function columnsOf(...texts: readonly string[]): readonly string[] {
  return texts.flatMap(splitColumns);
}
