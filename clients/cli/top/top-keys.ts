import { type Key, moves } from "../keys.ts";
import { mapGroups } from "./draw-map.ts";
import { chosenIndex, type Drainable, jobId, ordersOf, panes, rowsOf, type TopState } from "./top-state.ts";

export type Wish =
  | { readonly kind: "quit" }
  | { readonly kind: "refresh" }
  | { readonly kind: "explain"; readonly job: string; readonly source: string | undefined }
  | ({ readonly kind: "preview-drain" } & Drainable)
  | ({ readonly kind: "drain" } & Drainable);

export interface Pressed {
  readonly state: TopState;
  readonly wish?: Wish;
}

/** What a key does to the view. `page`: lines that a page key moves by. */
export function press(state: TopState, key: Key, page: number): Pressed {
  if (key.ctrl === true && key.name === "c") return { state, wish: { kind: "quit" } };
  if (state.question !== undefined) return answered(state, key);
  if (state.isTyping) return typed(state, key);
  if (state.overlay !== undefined) return inOverlay(state, key, page);
  const by = moves(key, page);
  if (state.map !== undefined) return inMap({ ...state, note: undefined }, key, { by, page });
  if (by !== undefined) return { state: moved(state, by) };
  return commanded({ ...state, note: undefined }, key);
}

function commanded(state: TopState, { name, sequence }: Key): Pressed {
  const { pane, sort } = state;
  switch (name ?? sequence) {
    case "q":
      return { state, wish: { kind: "quit" } };
    case "r":
      return { state, wish: { kind: "refresh" } };
    case "tab":
    case "right":
      return { state: { ...state, pane: neighbour(state, 1) } };
    case "left":
      return { state: { ...state, pane: neighbour(state, -1) } };
    case "s":
      return { state: { ...state, sort: { ...sort, [pane]: (sort[pane] + 1) % ordersOf[pane].length } } };
    case "a":
      return { state: { ...state, isEach: !state.isEach } };
    case "m":
      return { state: { ...state, map: { grouping: 0, from: 0 } } };
    case "f":
    case "/":
      return { state: { ...state, isTyping: true } };
    case "escape":
      return { state: { ...state, filter: "" } };
    case "e":
      return explainChosen(state);
    case "d":
      return drainChosen(state);
  }
  return { state };
}

/** Only "y" itself: no other key, Enter neither, may act on nodes. */
function answered({ question, ...rest }: TopState, { sequence }: Key): Pressed {
  const state = { ...rest, question: undefined };
  if (question === undefined || sequence !== "y") return { state: { ...state, note: "Nothing was done." } };
  const { name, nodeId } = question;
  return { state: { ...state, note: `Draining ${name} …` }, wish: { kind: "drain", name, nodeId } };
}

function typed(state: TopState, { name, sequence = "", ctrl }: Key): Pressed {
  if (name === "return" || name === "enter") return { state: { ...state, isTyping: false } };
  if (name === "escape") return { state: { ...state, isTyping: false, filter: "" } };
  if (name === "backspace") return { state: { ...state, filter: [...state.filter].slice(0, -1).join("") } };
  const isText = ctrl !== true && /^[^\p{Cc}\p{Cs}]$/u.test(sequence);
  return { state: isText ? { ...state, filter: state.filter + sequence } : state };
}

function inOverlay(state: TopState, key: Key, page: number): Pressed {
  const { overlay } = state;
  const by = moves(key, page);
  if (overlay === undefined || by === undefined)
    return ["q", "e", "escape", "return"].includes(key.name ?? "")
      ? { state: { ...state, overlay: undefined } }
      : { state };
  const from = Math.min(Math.max(0, overlay.from + by), Math.max(0, overlay.lines.length - 1));
  return { state: { ...state, overlay: { ...overlay, from } } };
}

/** Its lines scroll; what acts on a chosen row has none here. */
function inMap(
  state: TopState,
  key: Key,
  { by, page }: { readonly by: number | undefined; readonly page: number },
): Pressed {
  const { map } = state;
  const name = key.name ?? key.sequence ?? "";
  if (map === undefined || name === "m" || name === "escape") return { state: { ...state, map: undefined } };
  if (name === "s") return { state: { ...state, map: { grouping: map.grouping + 1, from: 0 } } };
  if (by !== undefined) {
    // What has to scroll has two lines for each group.
    const last = Math.max(0, 2 * mapGroups(state).length - page);
    return { state: { ...state, map: { ...map, from: Math.min(last, Math.max(0, map.from + by)) } } };
  }
  return name === "q" || name === "r" ? commanded(state, key) : { state };
}

function moved(state: TopState, by: number): TopState {
  const { pane, chosen } = state;
  const rows = rowsOf(state, pane);
  const at = Math.min(Math.max(0, chosenIndex(state, pane, rows) + by), rows.length - 1);
  const id = rows[at]?.id;
  return id === undefined ? state : { ...state, chosen: { ...chosen, [pane]: id } };
}

function neighbour({ pane }: TopState, by: number): TopState["pane"] {
  return panes[(panes.indexOf(pane) + by + panes.length) % panes.length] ?? pane;
}

function explainChosen(state: TopState): Pressed {
  if (state.pane !== "jobs") return noted(state, "Choose a job first: Tab goes to the jobs.");
  const rows = rowsOf(state, "jobs");
  const id = rows[chosenIndex(state, "jobs", rows)]?.id;
  const job = state.data.jobs.find((each) => jobId(each) === id);
  if (job === undefined) return noted(state, "There is no job to explain.");
  return {
    state: { ...state, note: "Asking …" },
    wish: { kind: "explain", job: job.job, source: job.source ?? undefined },
  };
}

function drainChosen(state: TopState): Pressed {
  if (state.pane !== "nodes") return noted(state, "Choose a node first: Tab goes to the nodes.");
  const rows = rowsOf(state, "nodes");
  const id = rows[chosenIndex(state, "nodes", rows)]?.id;
  const node = state.data.nodes.find((each) => (each.nodeId ?? each.name) === id);
  if (node === undefined) return noted(state, "There is no node to drain.");
  const { name, nodeId } = node;
  if (nodeId === null) return noted(state, `CycleCloud does not know ${name} yet, so it cannot be drained.`);
  return { state: { ...state, note: "Asking …" }, wish: { kind: "preview-drain", name, nodeId } };
}

function noted(state: TopState, note: string): Pressed {
  return { state: { ...state, note } };
}
