import CliTable from "cli-table3";

/** Columns under their headings, two spaces apart, without lines: what `awk` and the field's own tools are used to. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const drawn = new CliTable({
    head: [...head],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
    chars: { ...noLines, middle: "  " },
  });
  drawn.push(...rows.map((row) => [...row]));
  return `${drawn.toString().replaceAll(/ +$/gm, "")}\n`;
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
  right: "",
  "right-mid": "",
} as const;
