import { printable } from "../../../shared/text/text.ts";
import { cellWidth, gap, table, widest } from "../../columns/table.ts";
import { ago } from "../output/moments.ts";
import { mapLines } from "./draw-map.ts";
import type { Line, Size } from "./line.ts";
import { chosenIndex, headsOf, ordersOf, type Pane, panes, rowsOf, type TopState } from "./top-state.ts";
import { barLines, moneyLine, problemLine } from "./top-summary.ts";

/** Lists that have no keys show so many rows, on a screen that has room for more than one list. */
const rowsBeside = 3;
const leastHeightForAll = 18;

/** The screen, exactly `height` lines of at most `width` columns. Text from outside is escaped. */
export function drawTop(state: TopState, { width, height }: Size): readonly Line[] {
  const head = headLines(state, height);
  const foot = footLine(state);
  const room = Math.max(0, height - head.length - 1);
  const body = bodyLines(state, { width, height: room });
  const lines = [...head.slice(0, Math.max(0, height - 1)), ...body.slice(0, room)];
  const blank = Array.from({ length: Math.max(0, height - 1 - lines.length) }, (): Line => ({ text: "" }));
  return [...lines, ...blank, foot].slice(-height).map(({ runs, ...line }) => {
    const text = fitted(line.text, width);
    return { ...line, text, ...(runs !== undefined && text === line.text && { runs }) };
  });
}

/** Rows that a page key moves by. */
export function pageOf({ height }: Size): number {
  return Math.max(1, Math.floor(height / 2) - 2);
}

function headLines(state: TopState, height: number): readonly Line[] {
  const { status } = state.data;
  const taken =
    status.snapshot === null
      ? "no snapshot yet"
      : `snapshot ${ago(status.snapshot.takenAtSeconds, status.atSeconds)}`;
  const paused = status.paused === null ? "" : `  PAUSED by ${status.paused.by}`;
  const clock = new Date(status.atSeconds * 1000).toISOString().slice(11, 19);
  const problem = problemLine(status);
  return [
    { text: `${status.cluster}  ${clock} UTC  ${taken}${paused}`, style: "title" },
    problem === undefined ? { text: "No problems." } : { text: problem, style: "problem" },
    { text: moneyLine(status) },
    ...barLines(state.data, Math.max(1, Math.floor(height / 4))).map((text) => ({ text })),
  ];
}

function footLine({ question, isTyping, filter, overlay, map, trouble, note }: TopState): Line {
  if (question !== undefined)
    return { text: `Drain ${question.name}? y: yes, any other key: no`, style: "title" };
  if (isTyping) return { text: `filter: ${filter}_   Enter: keep, Esc: clear`, style: "title" };
  if (overlay !== undefined) return { text: "up/down page: scroll   Esc: back", style: "dim" };
  if (trouble !== undefined) return { text: `not refreshed: ${trouble}`, style: "problem" };
  if (note !== undefined) return { text: note, style: "title" };
  if (map !== undefined)
    return { text: "m lists  s group  up/down page: scroll  r refresh  q quit", style: "dim" };
  if (filter !== "") return { text: `filter: ${filter}   Esc: clear   f: change`, style: "title" };
  return {
    text: "q quit  Tab list  up/down  s sort  f filter  a each  e explain  d drain  m map",
    style: "dim",
  };
}

function bodyLines(state: TopState, size: Size): readonly Line[] {
  const { question, overlay } = state;
  if (question !== undefined) return question.lines.map((text) => ({ text }));
  if (overlay !== undefined) {
    const lines = overlay.lines.slice(overlay.from, overlay.from + Math.max(0, size.height - 1));
    return [{ text: overlay.title, style: "title" }, ...lines.map((text) => ({ text }))];
  }
  if (state.map !== undefined) return mapLines(state, size);
  const isAll = size.height >= leastHeightForAll - 5;
  const shownPanes = isAll ? panes : [state.pane];
  // Each list has a heading with its columns.
  const beside = (shownPanes.length - 1) * (rowsBeside + 1);
  return shownPanes.flatMap((pane) =>
    listLines(state, pane, {
      width: size.width,
      height: pane === state.pane ? size.height - beside : rowsBeside + 1,
    }),
  );
}

/** One list under its heading; the chosen row is marked and always among those that are shown. */
function listLines(state: TopState, pane: Pane, { width, height }: Size): readonly Line[] {
  const rows = rowsOf(state, pane);
  const room = Math.max(0, height - 1);
  const at = chosenIndex(state, pane, rows);
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
  const cells = rows.slice(from, from + room).map((row) => row.cells.map(printable));
  const heads = headsOf(pane, state.data);
  // The last column has the most room.
  const count = countOf(state, pane, rows.length);
  const head = heads.map((each, column) => (column === heads.length - 1 ? `${each}  (${count})` : each));
  const widths = widthsFor([head, ...cells], width - 2);
  const text = (row: readonly string[]) => table(undefined, [row], widths).trimEnd();
  const isHere = pane === state.pane;
  const heading: Line = {
    text: `${isHere ? "*" : " "} ${text(head)}`,
    style: isHere ? "title" : "dim",
  };
  const body = cells.map((row, index): Line => {
    const isChosen = isHere && from + index === at;
    return { text: `${isChosen ? ">" : " "} ${text(row)}`, ...(isChosen && { style: "chosen" as const }) };
  });
  return [heading, ...body];
}

/** How many there are, how many the filter leaves, and how they are sorted. */
function countOf({ data, sort, filter }: TopState, pane: Pane, rows: number): string {
  const all = { jobs: data.waitingJobs, nodes: data.nodes.length, plans: data.status.plans.length }[pane];
  const total = `${all}${pane === "nodes" && data.isCut ? "+" : ""}`;
  const order = ordersOf[pane][sort[pane]]?.name ?? "";
  return `${filter === "" || rows === all ? total : `${rows} of ${total}`}, by ${order}`;
}

/** As wide as the cells are, none wider than a third of the screen; the last takes what is left. */
function widthsFor(rows: readonly (readonly string[])[], width: number): readonly number[] {
  const columns = rows[0]?.length ?? 0;
  const most = Math.max(8, Math.floor(width / 3));
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.min(most, widest(rows.map((row) => cellWidth(row[column])))),
  );
  const used = widths.reduce((sum, each) => sum + each + gap, 0);
  return [...widths, Math.max(1, width - used)];
}

/** Escaped here once more: nothing of a state reaches the terminal but through this. */
function fitted(text: string, width: number): string {
  return table(undefined, [[printable(text)]], [Math.max(1, width)]).trimEnd();
}
