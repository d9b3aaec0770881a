import { type Kind, kinds } from "./style.ts";
import { type Drawing, type Point, textAt, tipAt } from "./svg.ts";

/**
 * Boxes with arrows, placed by hand in a text file of one thing a line, in pixels:
 *
 *   title The cycle
 *   size 920 380
 *   frame functions 250 20 660 300 | Azure Functions
 *   box accept step 270 60 130 56 | accept-demand | checks, merges
 *   arrow scheduler.right accept.left | job-demand
 *   note 20 350 | words below
 *
 * A box has a name, a kind, a place and lines of text. An arrow goes from a side of one box or frame to a side of another; `@0.3`
 * puts its end elsewhere than in the middle of the side. Its label has the kind of `queue`, or none after a `~`.
 */
export function drawBoxes(source: string): Drawing {
  let title = "";
  let size: readonly number[] = [];
  const boxes = new Map<string, Box>();
  const frames: string[] = [];
  const shapes: string[] = [];
  const arrows: string[] = [];
  for (const line of source.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [head = "", ...texts] = line.split("|").map((part) => part.trim());
    const [word, ...words] = head.split(/\s+/);
    if (word === "title") title = words.join(" ");
    else if (word === "size") size = words.map(Number);
    else if (word === "frame") {
      const [name = "", ...place] = words;
      const frame = boxOf([name, "plain", ...place], line);
      boxes.set(name, frame);
      frames.push(...drawFrame(frame, texts));
    } else if (word === "note") shapes.push(...noteOf(words.map(Number), texts));
    else if (word === "box") {
      const box = boxOf(words, line);
      boxes.set(box.name, box);
      shapes.push(...drawBox(box, texts));
    } else if (word === "arrow") arrows.push(...arrowOf(words, texts, boxes));
    else throw new Error(`Cannot draw "${line}": expected title, size, frame, note, box or arrow`);
  }
  const [width = 0, height = 0] = size;
  return { title, width, height, elements: [...frames, ...arrows, ...shapes] };
}

interface Box {
  readonly name: string;
  readonly kind: Kind;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxOf([name = "", word = "", ...numbers]: readonly string[], line: string): Box {
  const kind = kinds.find((known) => known === word);
  const [x, y, width, height] = numbers.map(Number);
  if (kind === undefined || x === undefined || y === undefined || width === undefined || height === undefined)
    throw new Error(`Cannot draw "${line}": expected a name, one of ${kinds.join(", ")}, and four numbers`);
  return { name, kind, x, y, width, height };
}

const lineHeight = 17;

/** The first line is the name of the thing, the others say what it does. */
function drawBox({ kind, x, y, width, height }: Box, texts: readonly string[]): string[] {
  const radius = kind === "queue" ? height / 2 : 6;
  const top = y + height / 2 - ((texts.length - 1) * lineHeight) / 2 + 4.5;
  return [
    `<rect class="box ${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
    ...texts.map((text, index) =>
      textAt(text, {
        x: x + width / 2,
        y: top + index * lineHeight,
        look: kind === "queue" ? "ink small" : index === 0 ? "ink bold" : "faint small",
      }),
    ),
  ];
}

function drawFrame({ x, y, width, height }: Box, [text = ""]: readonly string[]): string[] {
  return [
    `<rect class="frame dashed" x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`,
    textAt(text, { x: x + 12, y: y + 20, look: "faint small", anchor: "start" }),
  ];
}

function noteOf([x = 0, y = 0]: readonly number[], texts: readonly string[]): string[] {
  return texts.map((text, index) =>
    textAt(text, { x, y: y + index * lineHeight, look: "faint small", anchor: "start" }),
  );
}

const sides: Readonly<Record<string, Point>> = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] };

interface End {
  readonly at: Point;
  /** Away from the box. */
  readonly away: Point;
}

function endOf(word: string, boxes: ReadonlyMap<string, Box>): End {
  const [name = "", rest = ""] = word.split(".");
  const [side = "", ...decimals] = [rest.split("@")[0] ?? "", ...word.split("@").slice(1)];
  const box = boxes.get(name);
  const away = sides[side];
  if (box === undefined || away === undefined)
    throw new Error(
      `Cannot draw an arrow at "${word}": expected a box that is drawn above, and one of its sides`,
    );
  const part = decimals.length === 0 ? 0.5 : Number(decimals[0]);
  const [dx, dy] = away;
  const x = dx === 0 ? box.x + box.width * part : box.x + (dx > 0 ? box.width : 0);
  const y = dy === 0 ? box.y + box.height * part : box.y + (dy > 0 ? box.height : 0);
  return { at: [x, y], away };
}

/** Straight where it can be, else with one corner or two. The tip is where it ends. */
function arrowOf(
  [from = "", to = ""]: readonly string[],
  [label = ""]: readonly string[],
  boxes: ReadonlyMap<string, Box>,
): string[] {
  const end = endOf(to, boxes);
  const start = inLineWith(end, endOf(from, boxes));
  const points = [start.at, ...cornersOf(start, end), end.at];
  const direction: Point = [-end.away[0], -end.away[1]];
  return [
    `<polyline class="line" points="${points.map((point) => point.join(",")).join(" ")}"/>`,
    tipAt(end.at, direction),
    ...(label === "" ? [] : labelOf(label, points)),
  ];
}

const leastOffset = 3;

/** Moved by a pixel or two, if that makes the arrow straight. */
function inLineWith({ at: [x2, y2] }: End, { at: [x1, y1], away }: End): End {
  const x = Math.abs(x1 - x2) < leastOffset ? x2 : x1;
  const y = Math.abs(y1 - y2) < leastOffset ? y2 : y1;
  return { at: [x, y], away };
}

function cornersOf({ at: [x1, y1], away: [dx1] }: End, { at: [x2, y2], away: [dx2] }: End): readonly Point[] {
  if (x1 === x2 || y1 === y2) return [];
  const startsFlat = dx1 !== 0;
  const endsFlat = dx2 !== 0;
  if (startsFlat && endsFlat) {
    const middle = (x1 + x2) / 2;
    return [
      [middle, y1],
      [middle, y2],
    ];
  }
  if (!startsFlat && !endsFlat) {
    const middle = (y1 + y2) / 2;
    return [
      [x1, middle],
      [x2, middle],
    ];
  }
  return startsFlat ? [[x2, y1]] : [[x1, y2]];
}

/** On the longest piece of the arrow. */
function labelOf(label: string, points: readonly Point[]): string[] {
  const pieces = points.slice(1).map((end, index) => {
    const start = points[index] ?? end;
    const length = Math.abs(end[0] - start[0]) + Math.abs(end[1] - start[1]);
    return { length, x: (start[0] + end[0]) / 2, y: (start[1] + end[1]) / 2 };
  });
  const [longest] = pieces.toSorted((a, b) => b.length - a.length);
  if (longest === undefined) return [];
  const { x, y } = longest;
  const isPlain = label.startsWith("~");
  const text = isPlain ? label.slice(1) : label;
  const width = text.length * (isPlain ? 6.1 : 6.9) + (isPlain ? 8 : 18);
  const height = isPlain ? 18 : 22;
  const look = isPlain ? "halo" : "box queue";
  return [
    `<rect class="${look}" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${isPlain ? 2 : 11}"/>`,
    textAt(text, { x, y: y + 4, look: isPlain ? "faint small" : "ink small" }),
  ];
}
