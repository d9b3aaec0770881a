import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { announce } from "./announce.tsx";
import { cornerOf, type Layout, nextSpot, type Spot, spotAt, type Tile, titlePixels } from "./map-layout.ts";

/** How a node is filled: a colour of the style sheet, and how much of it. */
export interface Shade {
  readonly color: string;
  readonly alpha: number;
}

interface Named {
  readonly name: string;
}

interface CanvasProps<N, B> {
  readonly layout: Layout<N, B>;
  readonly label: string;
  /** What is said beside the title of a group. */
  readonly about: (tile: Tile<N, B>) => string;
  readonly shadeOf: (node: N) => Shade;
  /** What is said of a cell that is pointed at. */
  readonly wordsOf: (spot: Spot<N, B>) => string;
  readonly onOpen: (node: N) => void;
  /** Beside its buttons. */
  readonly children: ComponentChildren;
}

/** Magnified so much, with its left upper corner so far from that of the map, in pixels. */
interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

const whole: View = { scale: 1, x: 0, y: 0 };
const mostScale = 16;
/** A press that moves farther draws the map along, and opens nothing. */
const dragPixels = 4;
/** From this side on there is room for a name in a cell. */
const namedPixels = 56;
const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"] as const;

/** Cells that can be pointed at, magnified and opened, by mouse and by keyboard. */
export function MapCanvas<N extends Named, B>(props: CanvasProps<N, B>) {
  const { layout, wordsOf, onOpen } = props;
  const { width, height } = layout;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState(whole);
  const [pointed, point] = useState<Spot<N, B>>();
  const dragged = useRef<{ readonly x: number; readonly y: number; readonly from: View; far: boolean }>(
    undefined,
  );
  const scheme = useScheme();
  // Before the next frame, and once for all that happened since the last one.
  useLayoutEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || !pen) return;
    draw(pen, getComputedStyle(element), { ...props, view });
  }, [layout, props.about, props.shadeOf, view, scheme]);
  const spot = pointed && sameIn(layout, pointed);
  const within = ({ scale, x, y }: View): View => {
    const kept = Math.min(mostScale, Math.max(1, scale));
    return {
      scale: kept,
      x: Math.max(0, Math.min(width * (kept - 1), x)),
      y: Math.max(0, Math.min(height * (kept - 1), y)),
    };
  };
  const corner = spot && cornerOf(spot);
  const shown = corner && { x: corner.x * view.scale - view.x, y: corner.y * view.scale - view.y };
  /** The place under the pointer, or the node that was chosen, stays where it is. */
  const zoom = (by: number, at = shown ?? { x: 0, y: 0 }) =>
    setView((before) => {
      const scale = Math.min(mostScale, Math.max(1, before.scale * by));
      const share = scale / before.scale;
      return within({
        scale,
        x: (before.x + at.x) * share - at.x,
        y: (before.y + at.y) * share - at.y,
      });
    });
  const underPointer = ({ offsetX, offsetY }: MouseEvent) =>
    spotAt(layout, (offsetX + view.x) / view.scale, (offsetY + view.y) / view.scale);
  const open = (at: Spot<N, B> | undefined) => {
    const node = at?.tile.group.nodes[at.index];
    if (node !== undefined) onOpen(node);
  };
  const pressed = (event: KeyboardEvent) => {
    const arrow = arrows.find((each) => each === event.key);
    if (arrow !== undefined) {
      const next = nextSpot(layout, spot, arrow);
      point(next);
      if (next !== undefined) {
        announce(wordsOf(next));
        const corner = cornerOf(next);
        setView((before) => within(shownIn(before, corner, { ...layout, side: next.tile.side })));
      }
    } else if (event.key === "Enter") open(spot);
    else if (event.key === "+" || event.key === "=") zoom(1.5);
    else if (event.key === "-") zoom(1 / 1.5);
    else if (event.key === "0") setView(whole);
    else return;
    event.preventDefault();
  };
  const pixels = globalThis.devicePixelRatio;
  return (
    <>
      <div class="map-bar">
        {props.children}
        <button type="button" class="plain" aria-label="Magnify" onClick={() => zoom(1.5)}>
          +
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Reduce"
          disabled={view.scale === 1}
          onClick={() => zoom(1 / 1.5)}
        >
          −
        </button>
        <button type="button" class="plain" disabled={view.scale === 1} onClick={() => setView(whole)}>
          Whole map
        </button>
      </div>
      {/* Its line is there whether something is pointed at or not: nothing moves below the pointer. */}
      <p class="quiet pointed">{spot === undefined ? "Point at a node; a click opens it." : wordsOf(spot)}</p>
      <div
        class={view.scale === 1 ? "plane" : "plane magnified"}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys lead from node to node
        tabIndex={0}
        aria-label={`${props.label}: arrows lead from node to node, Enter opens one, + and - magnify. The table below says the same.`}
        style={{ height: `${height}px` }}
        onKeyDown={pressed}
      >
        <canvas
          ref={canvas}
          width={width * pixels}
          height={height * pixels}
          style={{ width: `${width}px`, height: `${height}px` }}
          onWheel={(event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(Math.exp(-event.deltaY / 200), { x: event.offsetX, y: event.offsetY });
          }}
          onPointerDown={({ clientX: x, clientY: y }) => {
            dragged.current = { x, y, from: view, far: false };
          }}
          onPointerMove={(event) => {
            const drag = dragged.current;
            if (drag === undefined || event.buttons === 0) return void point(same(spot, underPointer(event)));
            const by = { x: event.clientX - drag.x, y: event.clientY - drag.y };
            if (Math.hypot(by.x, by.y) > dragPixels) drag.far = true;
            if (drag.far) setView(within({ ...drag.from, x: drag.from.x - by.x, y: drag.from.y - by.y }));
          }}
          onPointerLeave={() => point(undefined)}
          onClick={(event) => {
            if (dragged.current?.far !== true) open(underPointer(event));
          }}
        />
        {spot === undefined || shown === undefined ? null : (
          <i
            class="ring"
            aria-hidden="true"
            style={{
              transform: `translate(${shown.x}px, ${shown.y}px)`,
              width: `${spot.tile.side * view.scale}px`,
              height: `${spot.tile.side * view.scale}px`,
            }}
          />
        )}
      </div>
    </>
  );
}

/** The same node, or else the same cell, of a layout that took the place of another one, if it is there. */
function sameIn<N extends Named, B>({ tiles }: Layout<N, B>, spot: Spot<N, B>): Spot<N, B> | undefined {
  const { tile, index } = spot;
  if (tiles.includes(tile)) return spot;
  const name = tile.group.nodes[index]?.name;
  for (const now of name === undefined ? [] : tiles) {
    const at = now.group.nodes.findIndex((node) => node?.name === name);
    if (at >= 0) return { tile: now, index: at };
  }
  const { heading, title } = tile.group;
  const now = tiles.find(({ group }) => group.heading === heading && group.title === title);
  return now !== undefined && index < now.group.nodes.length + now.frames ? { tile: now, index } : undefined;
}

/** Nothing is drawn again for a pointer that stays on its cell. */
function same<N, B>(before: Spot<N, B> | undefined, now: Spot<N, B> | undefined): Spot<N, B> | undefined {
  return before?.tile === now?.tile && before?.index === now?.index ? before : now;
}

/** Moved as little as it takes to show a cell. */
function shownIn(
  view: View,
  corner: { readonly x: number; readonly y: number },
  { width, height, side }: { readonly width: number; readonly height: number; readonly side: number },
): View {
  const { scale } = view;
  const along = (from: number, at: number, room: number) =>
    Math.min(at * scale, Math.max((at + side) * scale - room, from));
  return { scale, x: along(view.x, corner.x, width), y: along(view.y, corner.y, height) };
}

/** Changes with the colours of the page, and with how many dots a pixel has. */
function useScheme(): number {
  const [scheme, changed] = useReducer((turn: number) => turn + 1, 0);
  useLayoutEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const look = () => changed(0);
    dark.addEventListener("change", look);
    return () => dark.removeEventListener("change", look);
  }, []);
  return scheme;
}

type Drawn<N, B> = Pick<CanvasProps<N, B>, "layout" | "about" | "shadeOf"> & {
  readonly view: View;
};

function draw<N extends Named, B>(
  pen: CanvasRenderingContext2D,
  style: CSSStyleDeclaration,
  drawn: Drawn<N, B>,
): void {
  const { layout, view } = drawn;
  const { width, height, headings, tiles } = layout;
  const ink = style.color;
  const quiet = style.getPropertyValue("--quiet");
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.textBaseline = "top";
  const at = (x: number, y: number) => [x * view.scale - view.x, y * view.scale - view.y] as const;
  pen.fillStyle = ink;
  pen.font = `600 15px ${style.fontFamily}`;
  for (const { text, y } of headings) pen.fillText(cut(pen, text, width), ...at(0, y + 4));
  for (const tile of tiles) {
    const [x, y] = at(tile.x, tile.y);
    const rows = Math.ceil((tile.group.nodes.length + tile.frames) / tile.columns);
    if (y > height || y + (titlePixels + rows * tile.step) * view.scale < 0) continue;
    pen.globalAlpha = 1;
    pen.font = `13px ${style.fontFamily}`;
    // Titles keep their size, and stay beside their cells: magnified, right above those that are seen.
    const titleX = Math.max(0, x);
    const room = tile.titleWidth * view.scale - titleX + x;
    const title = cut(pen, tile.group.title, room);
    pen.fillStyle = ink;
    const titleY = y + titlePixels * (view.scale - 1);
    pen.fillText(title, titleX, titleY);
    const used = pen.measureText(title).width + 8;
    pen.fillStyle = quiet;
    if (room - used > 40) pen.fillText(cut(pen, drawn.about(tile), room - used), titleX + used, titleY);
    drawCells(pen, style, { ...drawn, tile });
  }
  pen.globalAlpha = 1;
}

function drawCells<N extends Named, B>(
  pen: CanvasRenderingContext2D,
  style: CSSStyleDeclaration,
  { layout, view, tile, shadeOf }: Drawn<N, B> & { readonly tile: Tile<N, B> },
): void {
  const { nodes } = tile.group;
  const { scale } = view;
  const step = tile.step * scale;
  const side = tile.side * scale;
  const left = tile.x * scale - view.x;
  const top = (tile.y + titlePixels) * scale - view.y;
  const colors = colorsOf(style);
  // Only what is seen: magnified, that is few of many.
  const rows = { from: Math.max(0, Math.floor(-top / step)), until: Math.ceil((layout.height - top) / step) };
  const columns = {
    from: Math.max(0, Math.floor(-left / step)),
    until: Math.min(tile.columns, Math.ceil((layout.width - left) / step)),
  };
  let last: Shade | undefined;
  const each = (from: number, until: number, paint: (x: number, y: number, index: number) => void) => {
    const end = Math.min(rows.until, Math.ceil(until / tile.columns));
    for (let row = Math.max(rows.from, Math.floor(from / tile.columns)); row < end; row += 1)
      for (let column = columns.from; column < columns.until; column += 1) {
        const index = row * tile.columns + column;
        if (index >= from && index < until) paint(left + column * step, top + row * step, index);
      }
  };
  each(0, nodes.length, (x, y, index) => {
    const node = nodes[index];
    if (node === undefined) return;
    const shade = shadeOf(node);
    if (shade !== last) {
      last = shade;
      pen.fillStyle = colors(shade.color);
      pen.globalAlpha = shade.alpha;
    }
    pen.fillRect(x, y, side, side);
  });
  pen.globalAlpha = 1;
  pen.lineWidth = 1;
  pen.strokeStyle = style.getPropertyValue("--quiet");
  each(nodes.length, nodes.length + tile.frames, (x, y) =>
    pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1),
  );
  if (side < namedPixels) return;
  pen.font = `12px ${style.fontFamily}`;
  pen.fillStyle = style.getPropertyValue("--ground");
  each(0, nodes.length, (x, y, index) => {
    const node = nodes[index];
    if (node !== undefined) pen.fillText(cut(pen, node.name, side - 8), x + 4, y + 4);
  });
}

function colorsOf(style: CSSStyleDeclaration): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const color = known.get(name) ?? style.getPropertyValue(`--${name}`);
    known.set(name, color);
    return color;
  };
}

/** As much of a text as a line has room for. */
function cut(pen: CanvasRenderingContext2D, text: string, pixels: number): string {
  const { width } = pen.measureText(text);
  return width <= pixels
    ? text
    : `${text.slice(0, Math.max(0, Math.floor((text.length * pixels) / width) - 1))}…`;
}
