import { createHash } from "node:crypto";
import { styleSheet } from "./style.ts";

/** Something to draw, as text of SVG. */
export interface Drawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly elements: readonly string[];
  /** In place of that of all drawings. */
  readonly style?: string;
}

/** The whole file. It says of which source it was made. */
export function svgOf(drawing: Drawing, source: string): string {
  const { title, width, height, elements, style = styleSheet() } = drawing;
  const digest = createHash("sha256").update(source).digest("hex").slice(0, 16);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<!-- Made by "npm run pictures" of a source with the digest ${digest}: change the source. -->`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="8"/>`,
    ...elements,
    "</svg>",
  ].join("\n")}\n`;
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A line of text, in the middle of `x` unless told otherwise. */
export function textAt(
  text: string,
  {
    x,
    y,
    look = "ink",
    anchor = "middle",
  }: { x: number; y: number; look?: string; anchor?: "start" | "middle" },
): string {
  return `<text class="${look}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

/** The tip of an arrow that ends at a point, going in a direction. */
export function tipAt([x, y]: Point, [dx, dy]: Point): string {
  const [back, side] = [8, 4];
  const points = [
    [x, y],
    [x - back * dx + side * dy, y - back * dy + side * dx],
    [x - back * dx - side * dy, y - back * dy - side * dx],
  ];
  return `<polygon class="tip" points="${points.map((point) => point.join(",")).join(" ")}"/>`;
}

export type Point = readonly [x: number, y: number];
