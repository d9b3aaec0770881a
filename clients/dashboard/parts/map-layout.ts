import type { NodeGroup } from "../../../shared/names/node-groups.ts";

/** A group where it is drawn. Lengths are pixels of the map that is not magnified; of a cell, `step` is its side with the gap. */
export interface Tile<N, B> {
  readonly group: NodeGroup<N | undefined, B>;
  readonly x: number;
  /** Where its title is; cells begin `titlePixels` below. */
  readonly y: number;
  /** Alone in its line, a title has all of it. */
  readonly titleWidth: number;
  readonly side: number;
  readonly step: number;
  readonly columns: number;
  /** Empty frames after the nodes: so many more may be made. */
  readonly frames: number;
}

export interface Layout<N, B> {
  readonly width: number;
  readonly height: number;
  readonly headings: readonly { readonly text: string; readonly y: number }[];
  readonly tiles: readonly Tile<N, B>[];
}

export const titlePixels = 18;
const headingPixels = 28;
const gap = { x: 24, y: 10 };
const leastTilePixels = 260;
/** A group of more cells has a line of its own. */
const mostBeside = 100;

/** Groups in their order: small ones beside each other, each cell larger with more cores. */
export function layOut<N, B>(
  groups: readonly {
    readonly group: NodeGroup<N | undefined, B>;
    readonly cores: number;
    readonly frames: number;
  }[],
  width: number,
): Layout<N, B> {
  const cells = groups.reduce((sum, { group }) => sum + group.nodes.length, 0);
  const usual = cells <= 500 ? 18 : cells <= 3_000 ? 11 : 7;
  const typical = typicalCores(groups.map(({ cores }) => cores));
  const beside = Math.max(1, Math.floor((width + gap.x) / (leastTilePixels + gap.x)));
  const narrow = (width - (beside - 1) * gap.x) / beside;
  const headings: { text: string; y: number }[] = [];
  const tiles: Tile<N, B>[] = [];
  let y = 0;
  let column = 0;
  let rowHeight = 0;
  const endRow = () => {
    const last = tiles.at(-1);
    if (column > 0 && last !== undefined) tiles[tiles.length - 1] = { ...last, titleWidth: width - last.x };
    y += rowHeight;
    column = 0;
    rowHeight = 0;
  };
  for (const { group, cores, frames } of groups) {
    const { heading, nodes } = group;
    if (headings.at(-1)?.text !== heading) {
      endRow();
      headings.push({ text: heading, y });
      y += headingPixels;
    }
    const count = nodes.length + frames;
    const isWide = count > mostBeside;
    if (isWide || column === beside) endRow();
    const side = Math.round(usual * sizeOf(cores, typical));
    const step = side + (side > 10 ? 2 : 1);
    const tileWidth = isWide ? width : narrow;
    const columns = Math.max(1, Math.floor(tileWidth / step));
    const height = titlePixels + Math.ceil(count / columns) * step + gap.y;
    tiles.push({
      group,
      x: column * (narrow + gap.x),
      y,
      titleWidth: tileWidth,
      side,
      step,
      columns,
      frames,
    });
    rowHeight = Math.max(rowHeight, height);
    column += 1;
    if (isWide) endRow();
  }
  endRow();
  return { width, height: y, headings, tiles };
}

/** A cell: a node, a frame, or what a node of the past left free. */
export interface Spot<N, B> {
  readonly tile: Tile<N, B>;
  readonly index: number;
}

export function spotAt<N, B>({ tiles }: Layout<N, B>, x: number, y: number): Spot<N, B> | undefined {
  for (const tile of tiles) {
    const column = Math.floor((x - tile.x) / tile.step);
    const row = Math.floor((y - tile.y - titlePixels) / tile.step);
    const index = row * tile.columns + column;
    if (column >= 0 && column < tile.columns && row >= 0 && index < tile.group.nodes.length + tile.frames)
      return { tile, index };
  }
  return undefined;
}

/** Its left upper corner. */
export function cornerOf<N, B>({ tile, index }: Spot<N, B>): { readonly x: number; readonly y: number } {
  return {
    x: tile.x + (index % tile.columns) * tile.step,
    y: tile.y + titlePixels + Math.floor(index / tile.columns) * tile.step,
  };
}

/** The node that an arrow key leads to, over the gaps and on into the next group; the same one where there is none. */
export function nextSpot<N, B>(
  { tiles }: Layout<N, B>,
  from: Spot<N, B> | undefined,
  key: "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End",
): Spot<N, B> | undefined {
  const isBack = key === "ArrowLeft" || key === "ArrowUp" || key === "End";
  const start = key === "Home" || key === "End" ? undefined : from;
  const ordered = isBack ? tiles.toReversed() : tiles;
  for (const tile of start === undefined ? ordered : ordered.slice(ordered.indexOf(start.tile))) {
    const { nodes } = tile.group;
    const isSame = tile === start?.tile;
    const by = isSame && (key === "ArrowUp" || key === "ArrowDown") ? tile.columns : 1;
    const first = isSame ? start.index + (isBack ? -by : by) : isBack ? nodes.length - 1 : 0;
    for (let index = first; index >= 0 && index < nodes.length; index += isBack ? -by : by)
      if (nodes[index] !== undefined) return { tile, index };
  }
  return from;
}

/** The median of those that are known; 0: none is. */
function typicalCores(cores: readonly number[]): number {
  const known = cores.filter((each) => each > 0).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? 0;
}

/** An area as the cores are, between half and twice the side of the typical one. */
function sizeOf(cores: number, typical: number): number {
  return cores === 0 || typical === 0 ? 1 : Math.min(2, Math.max(0.5, Math.sqrt(cores / typical)));
}
