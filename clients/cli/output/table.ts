import CliTable from "cli-table3";

type Row = readonly (string | number)[];

/** The layout of cli-table3 compares every cell with all rows above it: slices keep long tables linear. */
const rowsPerSlice = 50;
const gap = 2;

/** Columns under their headings, two spaces apart, without lines: what `awk` and the field's own tools are used to. */
export function table(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows];
  const colWidths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))) + gap);
  const slices: string[] = [];
  for (let from = 0; from < all.length; from += rowsPerSlice)
    slices.push(drawn(all.slice(from, from + rowsPerSlice), colWidths));
  return `${slices.join("\n").replaceAll(/ +$/gm, "")}\n`;
}

function drawn(rows: readonly Row[], colWidths: number[]): string {
  const slice = new CliTable({
    colWidths,
    style: { head: [], border: [], "padding-left": 0, "padding-right": gap, compact: true },
    chars: noLines,
  });
  slice.push(...rows.map((row) => [...row]));
  return slice.toString();
}

/** Characters beyond the alphabets may take two columns each; one too many is better than a cell cut short. */
function widthOf(cell: string | number | undefined): number {
  return String(cell ?? "").replaceAll(/[^\0-\u10ff]/gu, "xx").length;
}

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  middle: "",
  right: "",
  "right-mid": "",
};
