import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useGridKeys } from "./grid-keys.ts";
import { useListTools } from "./list-tools.tsx";
import type { Column } from "./table.tsx";
import { usePrinting } from "./use-printing.ts";
import { useRowPixels } from "./use-row-pixels.ts";

/** Rows above and below those that are seen, so that scrolling shows no gaps. Drawn again after so many, not after each. */
const spareRows = 12;
const stepRows = 6;

export interface WideColumn<T> extends Column<T> {
  /** As in `grid-template-columns`. */
  readonly width: string;
  /** Where it stands in a row on a narrow screen: a class of `style.css`. */
  readonly place: string;
}

/** How far the tables of earlier views were scrolled, by their addresses: whoever goes back finds the place again. */
const scrolled = new Map<string, number>();
const mostScrolled = 50;

/**
 * A table of any length, of which only the rows that are seen are drawn; on paper all of them. Rows are of one height. Keys move through it as in
 * a grid; the row that has the focus stays drawn wherever the table is scrolled. Keep `columns` the same object while what
 * cells show depends on their row alone: rows that are the same are then not drawn again.
 */
export function VirtualTable<T>(props: {
  readonly caption: string;
  readonly columns: readonly WideColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly heading?: (column: WideColumn<T>) => ComponentChildren;
}) {
  const { caption, rows, rowKey, heading = ({ title }: WideColumn<T>) => title } = props;
  const { shown: columns, tools } = useListTools<T, WideColumn<T>>(props.columns);
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, last: 40 });
  const rowPixels = useRowPixels();
  const isPrinting = usePrinting();
  const grid = useGridKeys({ box, rows, rowKey, columns: columns.length, rowPixels });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const address = location.hash;
    const look = () => {
      const top = Math.floor(element.scrollTop / rowPixels / stepRows) * stepRows;
      const height = Math.ceil(element.clientHeight / rowPixels) + stepRows;
      const next = { first: Math.max(0, top - spareRows), last: top + height + spareRows };
      setSeen((now) => (now.first === next.first && now.last === next.last ? now : next));
    };
    element.scrollTop = scrolled.get(address) ?? 0;
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    const ended = new AbortController();
    const moved = () => {
      remember(location.hash, element.scrollTop);
      look();
    };
    element.addEventListener("scroll", moved, { passive: true, signal: ended.signal });
    return () => {
      sizes.disconnect();
      ended.abort();
    };
  }, [rowPixels]);

  const last = isPrinting ? rows.length : Math.min(rows.length, seen.last);
  const first = isPrinting ? 0 : Math.max(0, Math.min(seen.first, last - 1));
  const drawn = Array.from({ length: last - first }, (_, index) => first + index);
  if (grid.active < first && grid.active >= 0) drawn.unshift(grid.active);
  if (grid.active >= last && grid.active < rows.length) drawn.push(grid.active);
  const template = useMemo(() => columns.map(({ width }) => width).join(" "), [columns]);
  return (
    <>
      {tools(rows)}
      <div ref={box} class="virtual" role="grid" aria-label={caption} aria-rowcount={rows.length + 1}>
        <div role="row" aria-rowindex={1} class="cells heads" style={{ "--columns": template }}>
          {columns.map((column) => (
            <div
              key={column.title}
              role="columnheader"
              class={column.kind === "number" ? "number" : undefined}
            >
              {heading(column)}
            </div>
          ))}
        </div>
        <div
          role="rowgroup"
          class="rows"
          style={{ height: isPrinting ? "auto" : `${rows.length * rowPixels}px` }}
          onKeyDown={grid.onKeyDown}
          onFocusIn={grid.onFocusIn}
        >
          {drawn.map((index) => {
            const row = rows[index] as T;
            return (
              <Row
                key={rowKey(row)}
                row={row}
                index={index}
                columns={columns}
                template={template}
                rowPixels={rowPixels}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

/** Drawn again only when something of it is another. */
function Row<T>(props: {
  readonly row: T;
  readonly index: number;
  readonly columns: readonly WideColumn<T>[];
  readonly template: string;
  readonly rowPixels: number;
}) {
  const { row, index, columns, template, rowPixels } = props;
  return useMemo(
    () => (
      <div
        role="row"
        aria-rowindex={index + 2}
        class="cells"
        style={{ "--columns": template, top: `${index * rowPixels}px` }}
      >
        {columns.map(({ title, cell, kind, place }) => (
          <div
            key={title}
            role="gridcell"
            class={`${place}${kind === "number" ? " number" : ""}`}
            style={{ "--place": place }}
            data-title={title}
          >
            {cell(row)}
          </div>
        ))}
      </div>
    ),
    [row, index, columns, template, rowPixels],
  );
}

function remember(address: string, top: number): void {
  scrolled.delete(address);
  scrolled.set(address, top);
  for (const oldest of scrolled.keys()) {
    if (scrolled.size <= mostScrolled) break;
    scrolled.delete(oldest);
  }
}
