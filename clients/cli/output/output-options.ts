import { type Command, InvalidArgumentError, Option } from "commander";
import { nearest } from "../../../shared/engine/index.ts";
import { foldedName } from "../../../shared/text/text.ts";
import type { Column } from "../../columns/column.ts";
import { isKnown, resourcesShown } from "../../columns/evaluate.ts";
import { parseColumns, splitColumns } from "../../columns/parse-columns.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { type Listing, printListing } from "./listing.ts";
import { type Format, formats, type OutputSettings } from "./output-settings.ts";
import { listed } from "./print.ts";
import type { Times } from "./times.ts";

/** Proxies refuse addresses of several thousand characters. This leaves room for the rest of the address. */
const longestQuery = 2_000;

export interface OutputFlags {
  readonly format?: Format;
  readonly outputColumns?: string;
  readonly long?: true;
  /** Only for lists with times. */
  readonly times?: Times;
}

export function outputOptions(command: Command, more: readonly string[] = []): Command {
  return command
    .addOption(formatOption([...formats, ...more]))
    .option(
      "-o, --output-columns <columns>",
      'such as "name,vm@vm_size,*ncpus,job_ids[:20],hostname:tbd"',
      readable,
    )
    .option("-l, --long", "ignores slices such as [:20]");
}

/** The text itself: what it is read into is for the command that prints. */
function readable(text: string): string {
  const texts = splitColumns(text);
  if (texts.length === 0) throw new InvalidArgumentError("No columns, expected at least one.");
  const parsed = parseColumns(texts);
  if (parsed.ok) return text;
  throw new InvalidArgumentError(
    `${parsed.problems.join("; ")}. A comma separates columns; "--format json" without -o shows every field.`,
  );
}

export function reportOption(): Option {
  return formatOption(["table", "json"]);
}

function formatOption(choices: readonly string[]): Option {
  return new Option(
    "--format <format>",
    'how to print (default: "table", or as the configuration sets it)',
  ).choices(choices);
}

interface ListKind {
  /** As the configuration names it in `output-columns`. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Whether it lists nodes: then the configuration's `default` columns are meant for it. */
  readonly isOfNodes?: true;
}

export interface List extends ListKind, Pick<Listing, "records" | "none" | "data" | "narrowing"> {}

/** How to print: by the options, else by the configuration, else as the command does. */
interface Wishes {
  readonly flags: OutputFlags;
  readonly settings: OutputSettings;
}

export function printList(terminal: Terminal, list: List, wishes: Wishes): void {
  const chosen = choicesOf(list, wishes);
  const choices = chosen.isOwn ? chosen : { ...chosen, columns: byHeading(chosen.columns, list) };
  const unknown = choices.isChosen ? unknownIn(choices.columns, list) : [];
  // Lines without a value would look like an answer.
  if (unknown.length > 0 && unknown.length === choices.columns.length)
    throw new CommandFailure(unknown.join("\n"), wayToColumns);
  printListing(terminal, { ...list, ...choices });
  for (const words of unknown) terminal.stderr.write(`${words}; ${wayToColumns}\n`);
}

/** An unknown name that matches a usual heading of the command selects that column. */
function byHeading(columns: readonly Column[], list: List): readonly Column[] {
  const own = new Map(readColumns(list.columns).map((column) => [column.heading.toLowerCase(), column]));
  return columns.map((column) => {
    const { expression, heading } = column;
    const meant = expression.kind === "value" ? own.get(expression.name.toLowerCase()) : undefined;
    if (meant === undefined || list.records.some((record) => isKnown(expression, record))) return column;
    return { ...meant, heading, fallback: column.fallback ?? meant.fallback };
  });
}

const wayToColumns = '"--format json" without -o shows every field';

/** Names that no record has: most are misspelt. */
function unknownIn(columns: readonly Column[], { records, columns: usual }: List): readonly string[] {
  const [first] = records;
  if (first === undefined) return [];
  const fields = [...Object.keys(first), ...readColumns(usual).map(({ heading }) => heading)];
  return columns
    .filter(
      ({ expression, fallback }) =>
        fallback === null && !records.some((record) => isKnown(expression, record)),
    )
    .map(({ heading }) => `no record has "${heading}"${meantField(heading, fields)}`);
}

function meantField(word: string, fields: readonly string[]): string {
  const bySpelling = new Map(fields.map((field) => [foldedName(field), snakeCase(field)]));
  const meant = bySpelling.get(nearest(foldedName(word), [...bySpelling.keys()]) ?? "");
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** As columns are written. */
function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The resources that a list of nodes is printed with, as a query names them; undefined: all of them. */
export function resourcesPrinted(list: ListKind, wishes: Wishes): string | undefined {
  const { format, columns, isChosen } = choicesOf(list, wishes);
  const isWhole = !isChosen && (format === "json" || format === "jsonl");
  const names = isWhole ? undefined : resourcesShown(columns)?.join(",");
  return names !== undefined && names.length <= longestQuery ? names : undefined;
}

function choicesOf(
  list: ListKind,
  { flags, settings }: Wishes,
): Pick<Listing, "format" | "columns" | "isChosen" | "isOwn" | "long"> {
  const configured = settings.columns[list.name] ?? (list.isOfNodes ? settings.columns.default : undefined);
  const chosen = flags.outputColumns === undefined ? configured : splitColumns(flags.outputColumns);
  return {
    format: flags.format ?? settings.format ?? "table",
    columns: readColumns(chosen ?? list.columns),
    isChosen: flags.outputColumns !== undefined,
    isOwn: chosen === undefined,
    long: flags.long === true,
  };
}

function readColumns(texts: readonly string[]): readonly Column[] {
  if (texts.length === 0)
    throw new CommandFailure(
      "Cannot print: no columns, expected at least one",
      'Name some in "output_columns" of the configuration, or after "-o".',
    );
  const parsed = parseColumns(texts);
  if (parsed.ok) return parsed.columns;
  throw new CommandFailure(
    listed("Cannot read the columns:", parsed.problems),
    'A comma separates columns; "--format json" without -o shows every field.',
  );
}
