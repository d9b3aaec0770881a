import { wrapAnsi } from "fast-wrap-ansi";
import { isAscii } from "../../../shared/text/text.ts";
import { cellWidth, gap, table, usualWidest, wide, widest } from "../../columns/table.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { furtherIn, wrapped } from "./wrapped.ts";

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
  readonly keeps?: readonly string[];
  /** Go before any other column that has something to show, in this order. */
  readonly goFirst?: readonly string[];
  /** Hold VM sizes or names made of them: nearly all of those begin with `Standard_`. */
  readonly ofSizes?: readonly string[] | undefined;
  /** Are cut at their beginning: paths, whose end says more. */
  readonly cutFirst?: readonly string[];
  /** Are not cut: half a name names something else, or nothing. */
  readonly whole?: readonly string[];
  /** Holds sentences, such as why something failed: broken between words, beside the other columns or under them. It is the last. */
  readonly sentence?: string;
}

/** No column is cut below this width: the rest of it would be of no use. */
const narrowest = 12;
/** Sentences stand beside the other columns if they have this much room there, or need less; else under them. */
const leastForSentence = 40;

/**
 * Prints a table no wider than the screen. Usual columns first give up what says nothing (see `narrow`); then the widest
 * columns are cut; when that is not enough, the last ones are left out, with a note on stderr. Sentences are broken, not cut.
 * In a pipe or a file nothing is cut.
 */
export function fitTable({ stdout, stderr }: Terminal, given: Rows): void {
  const room = widthOf(stdout) ?? Number.POSITIVE_INFINITY;
  // Without a screen nothing is cut, and what is far wider than the rest pads no other row.
  const isWhole = room === Number.POSITIVE_INFINITY;
  const all = columnsOf(given, !isWhole);
  // The column of sentences, if it has some to show.
  const words = fits(all, room)
    ? undefined
    : all.find(({ heading, isEmpty }) => !isEmpty && heading === given.narrowing?.sentence);
  const { columns, isShort } = narrow(
    // Beside sentences there is no room for columns that say nothing.
    words === undefined ? all : filled(all, given.narrowing).filter((column) => column !== words),
    given.narrowing,
    room,
  );
  const widths = fitted(
    columns.map(({ width }) => width),
    room,
    columns.map(({ isWhole, width }) => (isWhole ? width : narrowest)),
  );
  const shown = columns.slice(0, widths.length).map(({ at }) => at);
  const formOf = formsOf(isShort ? given.narrowing?.ofSizes : undefined);
  const forms = shown.map((at, column) => {
    const heading = given.head[at] ?? "";
    const isPath = given.narrowing?.cutFirst?.includes(heading) ?? false;
    return { at, form: formOf(heading), width: isPath ? (widths[column] ?? 0) : Number.POSITIVE_INFINITY };
  });
  const lines = (row: readonly string[]): string => {
    const fitting = forms.map(({ at, form, width }) => ending(form(row[at] ?? ""), width));
    const cells = table(undefined, [fitting], widths, isWhole).trimEnd();
    return words === undefined ? cells : withSentence(cells, row[words.at] ?? "", { words, widths, room });
  };
  if (given.isHeaded) stdout.write(`${styled(stdout, "bold", lines(given.head))}\n`);
  stdout.write(given.rows.map((row) => `${lines(row)}\n`).join(""));
  const left = given.head.filter((_, at) => at !== words?.at && !shown.includes(at));
  if (left.length === 0) return;
  const note = `left out, the screen is too narrow: ${left.join(", ")}; ${given.wayOut}`;
  stderr.write(`${wrapped(note, widthOf(stderr))}\n`);
}

/** As much of a path's end as so many columns hold; what is no plain text is left to be cut as any other cell. */
function ending(cell: string, width: number): string {
  if (cell.length <= width || !isAscii(cell)) return cell;
  return `…${cell.slice(cell.length - width + 1)}`;
}

/** A row's other cells with its sentence: in its own column where that is wide enough, else on lines of its own. */
function withSentence(
  cells: string,
  sentence: string,
  given: { readonly words: TableColumn; readonly widths: readonly number[]; readonly room: number },
): string {
  const { words, widths, room } = given;
  if (sentence === "" || sentence === "-") return cells;
  const start = total(widths) + gap;
  const beside = room - start;
  if (beside < Math.min(leastForSentence, words.width)) {
    const margin = " ".repeat(furtherIn);
    return `${cells}\n${margin}${broken(sentence, room - furtherIn, margin)}`;
  }
  const padding = " ".repeat(Math.max(0, start - cellWidth(cells)));
  return `${cells}${padding}${broken(sentence, beside, " ".repeat(start))}`;
}

function broken(sentence: string, width: number, margin: string): string {
  return wrapAnsi(sentence, Math.max(1, width), { hard: true }).replaceAll("\n", `\n${margin}`);
}

interface TableColumn {
  readonly at: number;
  readonly heading: string;
  readonly width: number;
  /** Without the prefix of VM sizes. */
  readonly shortWidth: number;
  readonly isEmpty: boolean;
  readonly isWhole: boolean;
}

function columnsOf({ head, rows, narrowing }: Rows, isScreen: boolean): readonly TableColumn[] {
  const formOf = formsOf(narrowing?.ofSizes);
  return head.map((heading, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const isWhole = narrowing?.whole?.includes(heading) ?? false;
    const widestOf = (widths: readonly number[]) =>
      isWhole || at === head.length - 1 ? widest(widths) : usualWidest(widths, isScreen ? wide : 0);
    const widthWith = (form: (cell: string) => string) =>
      widestOf([cellWidth(heading), ...cells.map((cell) => cellWidth(form(cell)))]);
    return {
      at,
      heading,
      width: widthWith((cell) => cell),
      shortWidth: widthWith(formOf(heading)),
      isEmpty: cells.every((cell) => cell === "" || cell === "-"),
      isWhole,
    };
  });
}

/** How the cells of a column are shown, by its heading. */
function formsOf(ofSizes: readonly string[] = []): (heading: string) => (cell: string) => string {
  return (heading) => (cell) =>
    ofSizes.includes(heading) ? cell.replaceAll(/(^|\/)Standard_/g, "$1") : cell;
}

/** Gives up, until the rest fits: columns without a value, then a prefix that says nothing, then columns of less use. */
function narrow(
  all: readonly TableColumn[],
  narrowing: Narrowing | undefined,
  room: number,
): { readonly columns: readonly TableColumn[]; readonly isShort: boolean } {
  if (narrowing === undefined || fits(all, room)) return { columns: all, isShort: false };
  const { keeps = [], goFirst = [] } = narrowing;
  const some = filled(all, narrowing);
  if (fits(some, room)) return { columns: some, isShort: false };
  let columns = some.map((column) => ({ ...column, width: column.shortWidth }));
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

/** Those with something to show, and those that stay whatever they hold. */
function filled(columns: readonly TableColumn[], narrowing: Narrowing | undefined): readonly TableColumn[] {
  return columns.filter(({ isEmpty, heading }) => !isEmpty || narrowing?.keeps?.includes(heading));
}

/** As narrow as `fitted` makes it. */
function cut(column: TableColumn): TableColumn {
  return column.isWhole ? column : { ...column, width: Math.min(column.width, narrowest) };
}

function fits(columns: readonly TableColumn[], room: number): boolean {
  return total(columns.map(({ width }) => width)) <= room;
}

/** Widths that fit, gaps included; fewer where they do not fit. `least`: no column is cut below its own. */
export function fitted(
  wanted: readonly number[],
  room: number,
  least: readonly number[] = wanted.map(() => narrowest),
): readonly number[] {
  let widths = [...wanted];
  const isCuttable = (width: number, at: number) => width > (least[at] ?? narrowest);
  while (total(widths) > room) {
    const excess = total(widths) - room;
    const widest = Math.max(0, ...widths.filter(isCuttable));
    const next = Math.max(
      narrowest,
      ...widths.filter((width, at) => isCuttable(width, at) && width < widest),
    );
    const cuttable = widths.filter((width, at) => isCuttable(width, at) && width === widest).length;
    if (widest > narrowest) {
      const by = Math.min(widest - next, Math.ceil(excess / cuttable));
      widths = widths.map((width, at) => (isCuttable(width, at) && width === widest ? width - by : width));
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
