import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Column } from "./table.tsx";

const rowPixels = 34;
/** Rows above and below those that are seen, so that scrolling shows no gaps. */
const spareRows = 12;

export interface WideColumn<T> extends Column<T> {
  /** As in `grid-template-columns`. */
  readonly width: string;
}

/** A table of any length, of which only the rows that are seen are drawn. Rows are of one height. */
export function VirtualTable<T>(props: {
  readonly caption: string;
  readonly columns: readonly WideColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly heading?: (column: WideColumn<T>) => ComponentChildren;
}) {
  const { caption, columns, rows, keyOf, heading = ({ title }: WideColumn<T>) => title } = props;
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => setSeen({ top: element.scrollTop, height: element.clientHeight });
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);

  const first = Math.max(0, Math.min(rows.length, Math.floor(seen.top / rowPixels)) - spareRows);
  const last = Math.min(rows.length, Math.ceil((seen.top + seen.height) / rowPixels) + spareRows);
  const template = columns.map(({ width }) => width).join(" ");
  return (
    <div
      ref={box}
      class="virtual"
      role="table"
      aria-label={caption}
      aria-rowcount={rows.length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
    >
      <div role="row" aria-rowindex={1} class="cells heads" style={{ gridTemplateColumns: template }}>
        {columns.map((column) => (
          <div key={column.title} role="columnheader" class={column.isNumber ? "number" : undefined}>
            {heading(column)}
          </div>
        ))}
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${rows.length * rowPixels}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <div
            key={keyOf(row)}
            role="row"
            aria-rowindex={first + index + 2}
            class="cells"
            style={{ gridTemplateColumns: template, top: `${(first + index) * rowPixels}px` }}
          >
            {columns.map(({ title, cell, isNumber }) => (
              <div key={title} role="cell" class={isNumber ? "number" : undefined}>
                {cell(row)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
