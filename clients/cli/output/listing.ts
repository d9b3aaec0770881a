import { printable } from "../../../shared/text/text.ts";
import { type Column, shownValue, type Value } from "../../columns/column.ts";
import { csvOf } from "../../columns/csv.ts";
import { evaluate, type Fields, type SliceMode } from "../../columns/evaluate.ts";
import type { Terminal } from "../terminal.ts";
import { fitTable, type Narrowing } from "./fit-table.ts";
import type { Format } from "./output-settings.ts";
import { jsonLine, prettyJson } from "./print.ts";

export interface Listing {
  readonly format: Format;
  readonly columns: readonly Column[];
  /** Whether the columns were chosen: JSON then has these columns only; otherwise every field. */
  readonly isChosen: boolean;
  /** Whether these are the usual columns: then an ellipsis marks what a slice cuts. A chosen slice is taken literally. */
  readonly isOwn: boolean;
  /** Ignores slices. */
  readonly long: boolean;
  readonly records: readonly Fields[];
  /** The same things as in the service's answer, for JSON without chosen columns. Default: the records. */
  readonly data?: readonly unknown[];
  /** Printed in place of a table without lines. Other formats print nothing, so that scripts get an empty output. */
  readonly none: string;
  /** How its usual columns make room on a narrow screen. */
  readonly narrowing?: Narrowing | undefined;
}

/** A list whose columns all have the same priority. */
const plainNarrowing: Narrowing = {
  ofSizes: ["VM_SIZE", "GROUP", "PLACEMENT_GROUP"],
  cutFirst: ["GROUP"],
};

/** Prints a list. Control characters in cells are escaped in every format: names of jobs come from anybody. */
export function printListing(terminal: Terminal, listing: Listing): void {
  const { stdout } = terminal;
  switch (listing.format) {
    case "json":
      stdout.write(prettyJson(dataOf(listing)));
      return;
    case "jsonl":
      for (const record of dataOf(listing)) stdout.write(jsonLine(record));
      return;
    case "csv":
      stdout.write(csvOfListing(listing));
      return;
    case "table":
    case "table-headerless":
      if (listing.records.length > 0) printTable(terminal, listing);
      else if (listing.format === "table") stdout.write(`${listing.none}\n`);
  }
}

function dataOf({ columns, isChosen, records, data = records, long }: Listing): readonly unknown[] {
  if (!isChosen) return data;
  return records.map((record) =>
    Object.fromEntries(
      columns.map((column) => [
        column.heading,
        cellOf(column, record, { mode: "data", long }) ?? column.fallback,
      ]),
    ),
  );
}

function csvOfListing(listing: Listing): string {
  const { columns, isChosen, isOwn, records } = listing;
  // The "-" and the slices of a command's usual columns are for people only.
  const plain = isChosen ? columns : columns.map((column) => ({ ...column, fallback: null }));
  const cells = records.map((record) =>
    cellsOf({ ...listing, columns: plain, long: listing.long || isOwn }, record),
  );
  return csvOf(
    columns.map(({ heading }) => heading),
    cells,
  );
}

function printTable(terminal: Terminal, listing: Listing): void {
  const { format, columns, records, isOwn, narrowing = plainNarrowing } = listing;
  const head = columns.map(({ heading }) => heading.toUpperCase());
  const rows = records.map((record) => cellsOf(listing, record));
  fitTable(terminal, {
    head,
    rows,
    isHeaded: format === "table",
    wayOut: "choose with -o, or use --format json",
    // A column that a person chose stays, whatever it holds.
    narrowing: isOwn ? narrowing : undefined,
  });
}

function cellsOf({ columns, isOwn, long }: Listing, record: Fields): readonly string[] {
  const mode = isOwn ? "abridged" : "text";
  return columns.map((column) => {
    const shown = shownValue(cellOf(column, record, { mode, long }));
    return printable(shown === "" ? (column.fallback ?? "") : shown);
  });
}

function cellOf(
  { expression }: Column,
  record: Fields,
  { mode, long }: { readonly mode: SliceMode; readonly long: boolean },
): Value {
  const whole = long && expression.kind === "slice" ? expression.of : expression;
  return evaluate(whole, record, mode);
}
