import { cellWidth, gap, table, widest } from "../../columns/table.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { wrapped } from "./wrapped.ts";

export interface Rows {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isHeaded: boolean;
  /** What else shows a column for which there is no room. */
  readonly wayOut: string;
  /** How a command's usual columns make room; absent: every column is as the person chose it. */
  readonly narrowing?: Narrowing | undefined;
}

/** What a table gives up where the screen is too narrow for it, by headings. */
export interface Narrowing {
  /** Stay, even where they are empty. */
  readonly keeps: readonly string[];
  /** Go before any other column that has something to show, in this order. */
  readonly goFirst: readonly string[];
  /** Hold VM sizes or names made of them: nearly all of those begin with `Standard_`. */
  readonly ofSizes: readonly string[];
}

/** No column is cut below this width: the rest of it would be of no use. */
const narrowest = 12;

/**
 * Prints a table no wider than the screen. Usual columns first give up what says nothing (see `narrow`); then the widest
 * columns are cut; when that is not enough, the last ones are left out, with a note on stderr. In a pipe or a file nothing
 * is cut.
 */
export function fitTable({ stdout, stderr }: Terminal, given: Rows): void {
  const room = widthOf(stdout) ?? Number.POSITIVE_INFINITY;
  const { columns, isShort } = narrow(columnsOf(given), given.narrowing, room);
  const widths = fitted(
    columns.map(({ width }) => width),
    room,
  );
  const shown = columns.slice(0, widths.length).map(({ at }) => at);
  const heading = table(undefined, [shown.map((at) => given.head[at] ?? "")], widths).trimEnd();
  if (given.isHeaded) stdout.write(`${styled(stdout, "bold", heading)}\n`);
  const formOf = formsOf(isShort ? given.narrowing?.ofSizes : undefined);
  const forms = shown.map((at) => ({ at, form: formOf(given.head[at] ?? "") }));
  stdout.write(
    table(
      undefined,
      given.rows.map((row) => forms.map(({ at, form }) => form(row[at] ?? ""))),
      widths,
    ),
  );
  const left = given.head.filter((_, at) => !shown.includes(at));
  if (left.length === 0) return;
  const note = `left out, the screen is too narrow: ${left.join(", ")}; ${given.wayOut}`;
  stderr.write(`${wrapped(note, widthOf(stderr))}\n`);
}

interface TableColumn {
  readonly at: number;
  readonly heading: string;
  readonly width: number;
  /** Without the prefix of VM sizes. */
  readonly shortWidth: number;
  readonly isEmpty: boolean;
}

function columnsOf({ head, rows, narrowing }: Rows): readonly TableColumn[] {
  const formOf = formsOf(narrowing?.ofSizes);
  return head.map((heading, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const widthWith = (form: (cell: string) => string) =>
      widest([cellWidth(heading), ...cells.map((cell) => cellWidth(form(cell)))]);
    return {
      ...{ at, heading },
      width: widthWith((cell) => cell),
      shortWidth: widthWith(formOf(heading)),
      isEmpty: cells.every((cell) => cell === "" || cell === "-"),
    };
  });
}

/** How the cells of a column are shown, by its heading. */
function formsOf(ofSizes: readonly string[] = []): (heading: string) => (cell: string) => string {
  return (heading) => (cell) => (ofSizes.includes(heading) ? cell.replace(/^Standard_/, "") : cell);
}

/** Gives up, until the rest fits: columns without a value, then a prefix that says nothing, then columns of less use. */
function narrow(
  all: readonly TableColumn[],
  narrowing: Narrowing | undefined,
  room: number,
): { readonly columns: readonly TableColumn[]; readonly isShort: boolean } {
  if (narrowing === undefined || fits(all, room)) return { columns: all, isShort: false };
  const { keeps, goFirst } = narrowing;
  const filled = all.filter(({ isEmpty, heading }) => !isEmpty || keeps.includes(heading));
  if (fits(filled, room)) return { columns: filled, isShort: false };
  let columns = filled.map((column) => ({ ...column, width: column.shortWidth }));
  const others = columns.map(({ heading }) => heading).filter((heading) => !keeps.includes(heading));
  const leaving = [
    ...new Set([...goFirst.filter((heading) => others.includes(heading)), ...others.toReversed()]),
  ];
  for (const heading of leaving) {
    // The first column names the thing itself.
    if (fits(columns.map(cut), room) || heading === all[0]?.heading) break;
    columns = columns.filter((column) => column.heading !== heading);
  }
  return { columns, isShort: true };
}

/** As narrow as `fitted` makes it. */
function cut(column: TableColumn): TableColumn {
  return { ...column, width: Math.min(column.width, narrowest) };
}

function fits(columns: readonly TableColumn[], room: number): boolean {
  return total(columns.map(({ width }) => width)) <= room;
}

/** Widths that fit, gaps included; fewer than wanted where they do not fit otherwise. */
export function fitted(wanted: readonly number[], room: number): readonly number[] {
  let widths = [...wanted];
  while (total(widths) > room) {
    const excess = total(widths) - room;
    const widest = Math.max(...widths);
    const next = Math.max(narrowest, ...widths.filter((width) => width < widest));
    const cuttable = widths.filter((width) => width === widest).length;
    if (widest > narrowest) {
      const by = Math.min(widest - next, Math.ceil(excess / cuttable));
      widths = widths.map((width) => (width === widest ? width - by : width));
    } else if (widths.length > 1) {
      // Without the last column the others may have their room again.
      widths = wanted.slice(0, widths.length - 1);
    } else return widths;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}
