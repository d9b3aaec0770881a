import { type Drawing, escaped, textAt, tipAt } from "./svg.ts";

const margin = 24;
const laneTop = 20;
const boxWidth = 150;
const boxHeight = 40;
const firstRow = 98;
const rowHeight = 46;

/**
 * Who sends what to whom, in order, from a text file of one thing a line:
 *
 *   title A drain
 *   lanes plan | scheduler | executor
 *   plan -> scheduler: drain
 *   scheduler . runs jobs on        (something that happens there)
 *   --- then, or instead            (a line across)
 */
export function drawSequence(source: string): Drawing {
  let title = "";
  let lanes: readonly string[] = [];
  let row = 0;
  const elements: string[] = [];
  const xOf = (name: string) => {
    const index = lanes.indexOf(name);
    if (index < 0) throw new Error(`Cannot draw a message of "${name}": expected one of ${lanes.join(", ")}`);
    return margin + boxWidth / 2 + index * laneGap;
  };
  for (const line of source.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const y = firstRow + row * rowHeight;
    const message = /^(.+?) -> (.+?): (.+)$/.exec(line);
    const happening = /^(.+?) \. (.+)$/.exec(line);
    if (line.startsWith("title ")) title = line.slice(6);
    else if (line.startsWith("lanes "))
      lanes = line
        .slice(6)
        .split("|")
        .map((name) => name.trim());
    else if (line.startsWith("--- ")) {
      elements.push(...divider(line.slice(4), y - 12, widthOf(lanes)));
      row += 0.7;
    } else if (message !== null) {
      const [, from = "", to = "", text = ""] = message;
      elements.push(...arrow(xOf(from), xOf(to), y, text));
      row += 1;
    } else if (happening !== null) {
      const [, where = "", text = ""] = happening;
      elements.push(...happened(xOf(where), y, text));
      row += 1;
    } else
      throw new Error(
        `Cannot draw "${line}": expected title, lanes, a message, something that happens, or ---`,
      );
  }
  const bottom = firstRow + row * rowHeight - 10;
  const heads = lanes.flatMap((name) => head(name, xOf(name), bottom));
  return { title, width: widthOf(lanes), height: bottom + 16, elements: [...heads, ...elements] };
}

const laneGap = 250;

function widthOf(lanes: readonly string[]): number {
  return 2 * margin + boxWidth + (lanes.length - 1) * laneGap;
}

function head(name: string, x: number, bottom: number): string[] {
  return [
    `<line class="line dashed" x1="${x}" y1="${laneTop + boxHeight}" x2="${x}" y2="${bottom}"/>`,
    `<rect class="box step" x="${x - boxWidth / 2}" y="${laneTop}" width="${boxWidth}" height="${boxHeight}" rx="6"/>`,
    textAt(name, { x, y: laneTop + 25, look: "ink bold" }),
  ];
}

/** The words stand over the arrow. */
function arrow(from: number, to: number, y: number, text: string): string[] {
  const direction = to > from ? 1 : -1;
  return [
    `<line class="line" x1="${from}" y1="${y}" x2="${to - 6 * direction}" y2="${y}"/>`,
    tipAt([to, y], [direction, 0]),
    ...onPaper(text, (from + to) / 2, y - 8),
  ];
}

function happened(x: number, y: number, text: string): string[] {
  const width = text.length * 6.1 + 24;
  return [
    `<rect class="box plain" x="${x - width / 2}" y="${y - 24}" width="${width}" height="28" rx="6"/>`,
    textAt(text, { x, y: y - 6, look: "ink small" }),
  ];
}

function divider(text: string, y: number, width: number): string[] {
  return [
    `<line class="line dashed" x1="${margin / 2}" y1="${y}" x2="${width - margin / 2}" y2="${y}"/>`,
    `<rect class="halo" x="${margin}" y="${y - 10}" width="${text.length * 6 + 14}" height="20"/>`,
    `<text class="faint small" x="${margin + 6}" y="${y + 4}">${escaped(text)}</text>`,
  ];
}

function onPaper(text: string, x: number, y: number): string[] {
  const width = text.length * 6.1 + 8;
  return [
    `<rect class="halo" x="${x - width / 2}" y="${y - 12}" width="${width}" height="16"/>`,
    textAt(text, { x, y, look: "ink small" }),
  ];
}
