import xterm from "@xterm/headless";
import { monospace } from "./style.ts";
import { type Drawing, escaped } from "./svg.ts";

const cell = { width: 7.8, height: 18 } as const;
const padding = 18;
const barHeight = 34;
const mostRows = 400;

/**
 * A terminal as it looked: the first line of the file is its title, the rest is what programs wrote there, with all escape
 * sequences. xterm.js reads it, so it looks as in a terminal.
 */
export async function drawTerminal(source: string): Promise<Drawing> {
  const [title = "", ...lines] = source.split("\n");
  const columns = 104;
  const terminal = new xterm.Terminal({ cols: columns, rows: mostRows, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(lines.join("\r\n"), done));
  const rows = rowsOf(terminal, columns);
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = barHeight + rows.length * cell.height + padding;
  const elements = [
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (colour, index) => `<circle cx="${20 + index * 18}" cy="18" r="5.5" fill="${colour}"/>`,
    ),
    `<text class="title" x="${width / 2}" y="22" text-anchor="middle">${escaped(title)}</text>`,
    ...rows.flatMap((row, index) => drawRow(row, barHeight + 14 + index * cell.height)),
  ];
  return { title, width, height, elements, style: style() };
}

/** Dark in both themes, as terminals are. */
function style(): string {
  return `.paper{fill:#161b22}text{font-family:${monospace};font-size:13px;fill:#e6edf3;white-space:pre}.title{fill:#9198a1;font-size:12px}
.bold{font-weight:700;fill:#ffffff}.faint{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#76e3ea}`;
}

/** Characters that look alike, from a column on. */
interface Run {
  readonly column: number;
  readonly look: string;
  readonly text: string;
}

type Row = readonly Run[];

function rowsOf(terminal: xterm.Terminal, columns: number): readonly Row[] {
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: mostRows }, (_, index) => rowOf(buffer.getLine(index), columns));
  const last = rows.findLastIndex((row) => row.length > 0);
  return rows.slice(0, last + 1);
}

function rowOf(line: ReturnType<xterm.IBuffer["getLine"]>, columns: number): Row {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const at = line?.getCell(column);
    const characters = at?.getChars() ?? "";
    if (at === undefined || at.getWidth() === 0) continue;
    const look = lookOf(at);
    const before = runs.at(-1);
    // Blanks between words belong to the run, those at its end do not: they are cut below.
    if (before?.look === look) runs[runs.length - 1] = { ...before, text: before.text + (characters || " ") };
    else runs.push({ column, look, text: characters || " " });
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text !== "");
}

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

function lookOf(at: xterm.IBufferCell): string {
  const colour = at.isFgPalette() ? (colours[at.getFgColor() % 8] ?? "") : "";
  return [at.isBold() !== 0 ? "bold" : "", at.isDim() !== 0 ? "faint" : "", colour].filter(Boolean).join(" ");
}

function drawRow(row: Row, y: number): string[] {
  return row.map(({ column, look, text }) => {
    const indent = text.length - text.trimStart().length;
    const shown = text.trimStart();
    const x = round(padding + (column + indent) * cell.width);
    // Stretched to its columns, so that tables stay straight whatever font the reader has.
    const length = round(shown.length * cell.width);
    const looks = look === "" ? "" : ` class="${look}"`;
    return `<text${looks} x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(shown)}</text>`;
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
