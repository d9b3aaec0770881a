import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

const focusable = "a[href], button, input";

/**
 * Keys of a grid, as the ARIA practices have them: arrows go to the next cell, Home and End to the first and last of a row,
 * with Control to the first and last row, Page Up and Down a screen further. A row that goes while it has the focus leaves it
 * to the one that takes its place.
 */
export function useGridKeys<T>(given: {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly columns: number;
  readonly rowPixels: number;
}) {
  const { box, rows, rowKey, columns, rowPixels } = given;
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  // The one cell that the tabulator key reaches; from there other keys go on.
  const spot = useRef({ index: 0, column: 0 });
  const before = useRef(rows);
  // Asked before this drawing takes the element away.
  const hadFocus = rowsOf(box.current)?.contains(document.activeElement) === true;
  const wantsFocus = useRef(false);
  if (before.current !== rows)
    spot.current.index = placeNow(before.current, rows, spot.current.index, rowKey);
  before.current = rows;
  const active = spot.current.index;

  useLayoutEffect(() => {
    const all = rowsOf(box.current);
    if (all === null || all === undefined) return;
    const chosen = targetAt(all, active, spot.current.column);
    for (const element of all.querySelectorAll<HTMLElement>(`${focusable}, [tabindex="0"]`))
      element.tabIndex = -1;
    if (chosen !== undefined) chosen.tabIndex = 0;
    if (chosen !== undefined && (wantsFocus.current || (hadFocus && !all.contains(document.activeElement))))
      chosen.focus({ preventScroll: true });
    wantsFocus.current = false;
  });

  const go = (index: number, column: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    wantsFocus.current = true;
    spot.current = { index: to, column: Math.max(0, Math.min(columns - 1, column)) };
    show(box.current, to, rowPixels);
    redraw(0);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowPixels) - 2);
    const end = rows.length - 1;
    const { column } = spot.current;
    const ways: Readonly<Record<string, readonly [index: number, column: number]>> = event.ctrlKey
      ? { Home: [0, column], End: [end, column] }
      : {
          ArrowDown: [active + 1, column],
          ArrowUp: [active - 1, column],
          ArrowLeft: [active, column - 1],
          ArrowRight: [active, column + 1],
          Home: [active, 0],
          End: [active, columns - 1],
          PageDown: [active + page, column],
          PageUp: [active - page, column],
        };
    const way = ways[event.key];
    if (way === undefined) return;
    event.preventDefault();
    go(...way);
  };

  /** A click, or a screen reader, may have gone there. */
  const onFocusIn = ({ target }: FocusEvent) => {
    const cell = (target as Element).closest('[role="gridcell"]');
    const row = cell?.closest('[role="row"]');
    if (!cell || !row) return;
    const index = Number(row.getAttribute("aria-rowindex")) - 2;
    const column = [...row.children].indexOf(cell);
    if (index === active && column === spot.current.column) return;
    spot.current = { index, column };
    redraw(0);
  };

  return { active, onKeyDown, onFocusIn };
}

function rowsOf(box: HTMLDivElement | null): HTMLElement | null | undefined {
  return box?.querySelector<HTMLElement>(".rows");
}

/** Where a row is now; of one that is gone, the next that is left. */
function placeNow<T>(
  before: readonly T[],
  rows: readonly T[],
  index: number,
  rowKey: (row: T) => string,
): number {
  const same = rows[index];
  const was = before[index];
  if (same !== undefined && was !== undefined && rowKey(same) === rowKey(was)) return index;
  // Index 0: the table has not been entered yet.
  if (index === 0) return 0;
  const places = new Map(rows.map((row, place) => [rowKey(row), place]));
  const left = before.slice(index).find((row) => places.has(rowKey(row)));
  return (left && places.get(rowKey(left))) ?? Math.max(0, rows.length - 1);
}

/** What takes the focus in a cell: a link or a box in it, else the cell itself. */
function targetAt(all: HTMLElement, index: number, column: number): HTMLElement | undefined {
  const cell = all.querySelector(`[aria-rowindex="${index + 2}"]`)?.children[column];
  if (!(cell instanceof HTMLElement)) return undefined;
  return cell.querySelector<HTMLElement>(`:is(${focusable}):not(:disabled)`) ?? cell;
}

/** Scrolls no further than needed; the headings cover what is below them. */
function show(box: HTMLDivElement | null, index: number, rowPixels: number): void {
  if (box === null) return;
  const headPixels = box.querySelector<HTMLElement>(".heads")?.offsetHeight ?? 0;
  const top = index * rowPixels;
  const bottom = top + rowPixels + headPixels - box.clientHeight;
  if (box.scrollTop > top) box.scrollTop = top;
  else if (box.scrollTop < bottom) box.scrollTop = bottom;
}
