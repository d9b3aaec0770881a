import truncatedWidth from "fast-string-truncated-width";
import { isAscii } from "../../shared/text/text.ts";

type Cell = string | number;
type Row = readonly Cell[];

/** Columns are so many spaces apart. */
export const gap = 2;

const ellipsis = "…";

/**
 * Columns under their headings, two spaces apart, without lines: what `awk` and the field's own tools are used to.
 * Cells that are wider than `widths` says are cut, unless `isWhole`; without `widths` every column is as wide as most of its cells
 * need, and nothing is cut.
 */
export function table(
  head: Row | undefined,
  rows: readonly Row[],
  widths?: readonly number[],
  isWhole = widths === undefined,
): string {
  const all = head === undefined ? rows : [head, ...rows];
  const limits = widths ?? widthsOf(head, rows);
  return all.map((row) => `${line(row, limits, isWhole)}\n`).join("");
}

function line(row: Row, widths: readonly number[], isWhole: boolean): string {
  const cells = row.map((cell, column) => {
    const [text, limit] = [String(cell), widths[column] ?? 0];
    return isWhole && cellWidth(text) > limit ? text : padded(text, limit);
  });
  return cells.join(" ".repeat(gap)).trimEnd();
}

function padded(text: string, limit: number): string {
  if (text.length <= limit && isAscii(text)) return text.padEnd(limit);
  const shown = cellWidth(text) <= limit ? text : `${begun(text, limit - 1)}${limit > 0 ? ellipsis : ""}`;
  return `${shown}${" ".repeat(Math.max(0, limit - cellWidth(shown)))}`;
}

/**
 * As much of a text as so many columns hold. Character by character: the index that the library gives for a cut is too large behind
 * signs such as "…" and "█", so that a line would be wider than the screen.
 */
function begun(text: string, limit: number): string {
  let shown = "";
  let width = 0;
  for (const character of text) {
    width += cellWidth(character);
    if (width > limit) break;
    shown += character;
  }
  return shown;
}

function widthsOf(head: Row | undefined, rows: readonly Row[]): readonly number[] {
  const all = head === undefined ? rows : [head, ...rows];
  const columns = all.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: columns }, (_, column) =>
    usualWidest(all.map((row) => cellWidth(row[column]))),
  );
}

/** A cell wider than this makes its column as wide only if it is not one of few. */
export const wide = 64;

/** The widest of a column; without the few that are far wider, which would push what stands behind them off every screen. */
export function usualWidest(widths: readonly number[], least = 0): number {
  const most = widest(widths);
  if (most <= wide) return most;
  const usual = widths.filter((width) => width <= wide);
  const isRare = usual.length * 10 >= widths.length * 9 || widths.length - usual.length <= 1;
  return isRare ? Math.max(widest(usual), least) : most;
}

/** Not Math.max(...): a list may be longer than a call has arguments. */
export function widest(widths: readonly number[]): number {
  return widths.reduce((most, width) => Math.max(most, width), 0);
}

/** In columns of a screen. */
export function cellWidth(cell: string | number | undefined): number {
  const text = String(cell ?? "");
  return isAscii(text) ? text.length : truncatedWidth(text).width;
}
