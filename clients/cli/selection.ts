import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { Selection } from "../../shared/api/index.ts";
import { parseConstraints } from "../../shared/engine/index.ts";
import { messageOf } from "../../shared/errors/errors.ts";
import { jsonOr, parseJson } from "../../shared/json/json.ts";
import { splitColumns } from "../columns/parse-columns.ts";

/** A selection of nodes: options of several kinds must all match, of several patterns of one kind one must. */
export interface SelectionFlags {
  readonly nodeName?: readonly string[];
  readonly hostname?: readonly string[];
  readonly nodearray?: readonly string[];
  readonly constraint?: readonly ConstraintObject[];
}

export type ConstraintObject = Readonly<Record<string, unknown>>;

export function selectionOptions(command: Command): Command {
  return command
    .option(
      "-N, --node-name <names>",
      'names of nodes, such as "htc-1,hpc-*"; @FILE reads them from a file, - from standard input',
      nodeNames,
    )
    .option("-H, --hostname <names>", "host names, shell wildcards allowed", names)
    .option("-a, --nodearray <names>", "node arrays, shell wildcards allowed", names)
    .option(
      "-C, --constraint <expression>",
      "nodes that satisfy it, such as 'node.vm_size=Standard_F*', 'ncpus=4' or JSON; all of them must hold",
      constraint,
    );
}

/** One name a line, or several with commas or blanks between them. */
export function nodeNames(text: string, before: readonly string[] = []): readonly string[] {
  const file = text === "-" ? 0 : text.startsWith("@") ? text.slice(1) : undefined;
  if (file === undefined) return names(text, before);
  const given = readNames(file)
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  if (given.length === 0) throw new InvalidArgumentError("expected at least one name there.");
  return [...before, ...given];
}

function readNames(file: string | number): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${messageOf(error)}.`);
  }
}

function names(text: string, before: readonly string[] = []): readonly string[] {
  const given = splitColumns(text);
  if (given.length === 0) throw new InvalidArgumentError("expected at least one name.");
  return [...before, ...given];
}

/** An option's value as constraints, beside those that were given before. */
export function constraint(
  text: string,
  before: readonly ConstraintObject[] = [],
): readonly ConstraintObject[] {
  const read = readConstraints(text);
  if (read.ok) return [...before, ...read.constraints];
  throw new InvalidArgumentError(read.problems.join("; "));
}

/** Constraints as JSON, checked; or every problem. */
export type ReadConstraints =
  | { readonly ok: true; readonly constraints: readonly ConstraintObject[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `name=value`, `name=value,other value`, `resource>=number`, or JSON. A value that is JSON is that, anything else is text. */
export function readConstraints(text: string): ReadConstraints {
  const json =
    text.trimStart().startsWith("{") || text.trimStart().startsWith("[") ? fromJson(text) : fromPair(text);
  if (typeof json === "string") return { ok: false, problems: [json] };
  const parsed = parseConstraints(json.value);
  if (!parsed.ok) return { ok: false, problems: parsed.problems.map(({ message }) => message) };
  // Checked above: an object, or a list of objects.
  const constraints = (Array.isArray(json.value) ? json.value : [json.value]) as readonly ConstraintObject[];
  return { ok: true, constraints };
}

function fromJson(text: string): { readonly value: unknown } | string {
  try {
    return { value: parseJson(text) };
  } catch {
    return `Cannot read ${JSON.stringify(text)}: not JSON, expected an object or a list of objects`;
  }
}

function fromPair(text: string): { readonly value: unknown } | string {
  const groups = comparison.exec(text)?.groups;
  const { name = "", sign = "", list = "" } = groups ?? {};
  if (name === "")
    return `Cannot read ${JSON.stringify(text)}: expected "name=value" such as "node.vm_size=Standard_F*", "name>=number" such as "ncpus>=4", or JSON`;
  const values = splitColumns(list).map((each) => jsonOr(each, each));
  const [only] = values;
  if (!isMeant(sign, name, values))
    return `Cannot read ${JSON.stringify(text)}: expected "${name}=value" (a resource: at least that; a property: that value), "resource>=number", or JSON`;
  return { value: { [name]: values.length === 1 ? only : values } };
}

/** As `validate-constraint` prints them, with or without blanks: a name, a sign, one value or several. */
const comparison = /^\s*(?<name>[^=<>!\s]+)\s*(?<sign>[<>!=]+)(?<list>.*)$/s;

/** The language has "equal" and, for an amount of a resource, "at least", which `>=` may stand for; it has no other comparison. */
function isMeant(sign: string, name: string, values: readonly unknown[]): boolean {
  if (sign === "=" || sign === "==") return true;
  const [only] = values;
  const isAmount = typeof only === "number" || (typeof only === "string" && only.includes("::"));
  return sign === ">=" && !name.startsWith("node.") && values.length === 1 && isAmount;
}

/** The selection as in a request's body; undefined if there is none. */
export function toSelection(flags: SelectionFlags): Selection | undefined {
  const { nodeName: nodeNames, hostname, nodearray, constraint: constraints } = flags;
  const selection = {
    ...(nodeNames && { names: nodeNames }),
    ...(hostname && { hostnames: hostname }),
    ...(nodearray && { nodeArrays: nodearray }),
    ...(constraints && { constraints }),
  };
  return Object.keys(selection).length === 0 ? undefined : selection;
}

/** The options as shell words; undefined if quotes alone do not make them safe. */
export function toWords(flags: SelectionFlags): string | undefined {
  const { nodeName, hostname, nodearray, constraint = [] } = flags;
  const given: readonly (readonly [option: string, value: string | undefined])[] = [
    ["-N", nodeName?.join(",")],
    ["-H", hostname?.join(",")],
    ["-a", nodearray?.join(",")],
    ...constraint.map((each) => ["-C", JSON.stringify(each)] as const),
  ];
  const words = given.flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
  if (!words.every((word) => inQuotes.test(word))) return undefined;
  return words.map((word) => (plain.test(word) ? word : `'${word}'`)).join(" ");
}

/** Characters of one shell word as they are. */
const plain = /^[\w.,:/-]+$/;

/** ASCII without the single quote itself. */
const inQuotes = /^[ -&(-~]*$/;

export function isSelecting(flags: SelectionFlags): boolean {
  return toSelection(flags) !== undefined;
}

/** As a list's query wants it. */
export function toQuery(flags: SelectionFlags): Readonly<Record<string, string | undefined>> {
  return {
    name: flags.nodeName?.join(","),
    hostname: flags.hostname?.join(","),
    nodeArray: flags.nodearray?.join(","),
    constraint: flags.constraint === undefined ? undefined : JSON.stringify(flags.constraint),
  };
}
