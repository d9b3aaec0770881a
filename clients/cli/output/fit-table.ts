import truncatedWidth from "fast-string-truncated-width";
import { isAscii } from "../../../shared/text.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { cellWidth, wrapped } from "./wrapped.ts";

export interface Rows {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isHeaded: boolean;
  /** What else shows a column for which there is no room. */
  readonly wayOut: string;
}

/** No column is cut below this width: the rest of it would be of no use. */
const narrowest = 12;

/**
 * Prints a table no wider than the screen: the widest columns are cut first; when that is not enough, the last ones are
 * left out, with a note on stderr. In a pipe or a file nothing is cut.
 */
export function fitTable({ stdout, stderr }: Terminal, { head, rows, isHeaded, wayOut }: Rows): void {
  const wanted = head.map((heading, column) =>
    widest([cellWidth(heading), ...rows.map((row) => cellWidth(row[column]))]),
  );
  const widths = fitted(wanted, widthOf(stdout) ?? Number.POSITIVE_INFINITY);
  const shown = widths.length;
  const body = rows.map((row) => row.slice(0, shown));
  const heading = table(undefined, [head.slice(0, shown)], widths).trimEnd();
  if (isHeaded) stdout.write(`${styled(stdout, "bold", heading)}\n`);
  stdout.write(table(undefined, body, widths));
  if (shown === head.length) return;
  const note = `left out, the screen is too narrow: ${head.slice(shown).join(", ")}; ${wayOut}`;
  stderr.write(`${wrapped(note, widthOf(stderr))}\n`);
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

type Cell = string | number;
type Row = readonly Cell[];

/** Columns are so many spaces apart. */
export const gap = 2;

const ellipsis = "…";

/**
 * Columns under their headings, two spaces apart, without lines: what `awk` and the field's own tools are used to.
 * Cells that are wider than `widths` says are cut; without it every column is as wide as it needs.
 */
export function table(
  head: Row | undefined,
  rows: readonly Row[],
  widths: readonly number[] = widthsOf(head, rows),
): string {
  const all = head === undefined ? rows : [head, ...rows];
  return all.map((row) => `${line(row, widths)}\n`).join("");
}

function line(row: Row, widths: readonly number[]): string {
  const cells = row.map((cell, column) => padded(String(cell), widths[column] ?? 0));
  return cells.join(" ".repeat(gap)).trimEnd();
}

function padded(text: string, limit: number): string {
  if (text.length <= limit && isAscii(text)) return text.padEnd(limit);
  const { width, index, ellipsed } = truncatedWidth(text, { limit, ellipsis, ellipsisWidth: 1 });
  const shown = ellipsed ? `${text.slice(0, index)}${ellipsis}` : text.slice(0, index);
  return `${shown}${" ".repeat(Math.max(0, limit - width - (ellipsed ? 1 : 0)))}`;
}

function widthsOf(head: Row | undefined, rows: readonly Row[]): readonly number[] {
  const all = head === undefined ? rows : [head, ...rows];
  const columns = all.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: columns }, (_, column) => widest(all.map((row) => cellWidth(row[column]))));
}

/** Not Math.max(...): a list may be longer than a call has arguments. */
export function widest(widths: readonly number[]): number {
  return widths.reduce((most, width) => Math.max(most, width), 0);
}
