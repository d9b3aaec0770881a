import { describe, expect, test } from "vitest";
import type { Key } from "../../../../clients/cli/keys.ts";
import { press, type Wish } from "../../../../clients/cli/top/top-keys.ts";
import { openedOn, rowsOf, type TopState } from "../../../../clients/cli/top/top-state.ts";
import { topData, topNode } from "./sample-top.ts";

const key = (name: string): Key =>
  name.length === 1 ? { name, sequence: name } : { name, sequence: "\u001b" };

/** Presses keys one after the other; the last wish. */
function pressAll(
  names: readonly string[],
  start = openedOn(topData()),
): { state: TopState; wish: Wish | undefined } {
  return names.reduce<{ state: TopState; wish: Wish | undefined }>(
    ({ state }, name) => ({ wish: undefined, ...press(state, key(name), 5) }),
    { state: start, wish: undefined },
  );
}

test.each<[name: string, keys: readonly string[], wish: Wish | undefined]>([
  ["q quits", ["q"], { kind: "quit" }],
  ["r asks again", ["r"], { kind: "refresh" }],
  ["e explains the chosen job", ["down", "e"], { kind: "explain", job: "1203", source: "slurm" }],
  ["e elsewhere asks nothing", ["tab", "e"], undefined],
  [
    "d only shows what would be drained",
    ["tab", "d"],
    { kind: "preview-drain", name: "htc-2", nodeId: "id-htc-2" },
  ],
  ["d at the jobs asks nothing", ["d"], undefined],
  ["an unknown key asks nothing", ["x"], undefined],
])("%s", (_, keys, wish) => expect(pressAll(keys).wish).toEqual(wish));

test("Ctrl-C quits wherever the view is", () => {
  const plain = openedOn(topData());
  const question = { name: "htc-2", nodeId: "id-htc-2", lines: [] };
  for (const state of [plain, { ...plain, isTyping: true }, { ...plain, question }])
    expect(press(state, { name: "c", ctrl: true, sequence: "\u0003" }, 5).wish).toEqual({ kind: "quit" });
});

describe("a question", () => {
  const asked = { ...openedOn(topData()), question: { name: "htc-2", nodeId: "id-htc-2", lines: [] } };

  test("y drains the node that was asked about, whichever is chosen now", () => {
    const moved: TopState = { ...asked, pane: "nodes", chosen: { nodes: "id-htc-10" } };
    expect(pressAll(["y"], moved).wish).toEqual({ kind: "drain", name: "htc-2", nodeId: "id-htc-2" });
  });

  test.each(["return", "n", "d", "q", "Y", "escape"])("%s drains nothing", (name) => {
    const { state, wish } = pressAll([name], asked);
    expect(wish).toBeUndefined();
    expect(state).toMatchObject({ question: undefined, note: "Nothing was done." });
  });
});

test("a node that CycleCloud does not know yet is not drained", () => {
  const { state, wish } = pressAll(
    ["tab", "d"],
    openedOn(topData({ nodes: [topNode("new", { nodeId: null })] })),
  );
  expect(wish).toBeUndefined();
  expect(state.note).toContain("does not know new yet");
});

test("the filter takes every key until Enter, also those that do something elsewhere", () => {
  const { state, wish } = pressAll(["tab", "f", "1", "q", "backspace", "0", "return"]);
  expect(wish).toBeUndefined();
  expect(state).toMatchObject({ filter: "10", isTyping: false });
  expect(rowsOf(state, "nodes").map(({ id }) => id)).toEqual(["id-htc-10"]);
  expect(pressAll(["escape"], state).state.filter).toBe("");
});

test("s sorts the list that has the keys, and comes round", () => {
  const orders = [["s"], ["s", "s"], ["s", "s", "s"]].map((keys) =>
    rowsOf(pressAll(keys).state, "jobs").map(({ cells }) => cells[0]),
  );
  expect(orders).toEqual([
    ["1203", "1202"],
    ["1203", "1202"],
    ["1202", "1203"],
  ]);
});

test("the choice stays on its node when the list changes, and on the list when keys go too far", () => {
  const { state } = pressAll(["tab", "end", "down"]);
  const grown = { ...state, data: topData({ nodes: [topNode("htc-1"), ...state.data.nodes] }) };
  expect(pressAll(["d"], grown).wish).toMatchObject({ name: "htc-10" });
  expect(pressAll(["home", "up", "d"], grown).wish).toMatchObject({ name: "htc-1" });
});

test("an explanation scrolls within itself, and Esc closes it", () => {
  const overlay = { title: "Job 1202", lines: ["a", "b", "c"], from: 0 };
  const opened = { ...openedOn(topData()), overlay };
  expect(pressAll(["pagedown"], opened).state.overlay?.from).toBe(2);
  expect(pressAll(["pagedown", "home", "up"], opened).state.overlay?.from).toBe(0);
  expect(pressAll(["escape"], opened).state.overlay).toBeUndefined();
});
