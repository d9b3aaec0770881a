import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { globSync } from "tinyglobby";
import { drawBoxes } from "./boxes.ts";
import { type Drawing, svgOf } from "./svg.ts";
import { drawTerminal } from "./terminal.ts";

export const folder = join(import.meta.dirname, "..");

/** How each kind of source is drawn. */
const makers: Readonly<Record<string, (source: string) => Drawing | Promise<Drawing>>> = {
  ".boxes": drawBoxes,
  ".terminal": drawTerminal,
};

/** Names of the sources, in `docs/pictures`. */
export function sources(): readonly string[] {
  return globSync(
    Object.keys(makers).map((extension) => `*${extension}`),
    { cwd: folder },
  ).toSorted();
}

export function pictureFile(source: string): string {
  return join(folder, `${source.slice(0, -extname(source).length)}.svg`);
}

/** The picture that a source gives. */
export async function pictureOf(source: string): Promise<string> {
  const text = readFileSync(join(folder, source), "utf8");
  const draw = makers[extname(source)];
  if (draw === undefined)
    throw new Error(`Cannot draw "${source}": expected one of ${Object.keys(makers).join(", ")}`);
  return svgOf(await draw(text), text);
}
