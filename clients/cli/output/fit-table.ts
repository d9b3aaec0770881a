import { cellWidth, gap, table, widest } from "../../columns/table.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { wrapped } from "./wrapped.ts";

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
