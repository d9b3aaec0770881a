import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { served } from "../../../fuzz/served-world.ts";
import { handlerOf } from "../../../support/http-handlers.ts";
import { builtCcscale } from "../../../support/local-stack.ts";
import { type OnTerminal, onTerminal } from "../../../support/on-terminal.ts";
import { cluster } from "../../../support/world.ts";
import { python, withoutPython } from "../../python/python.ts";
import { type ApiServer, serveApi } from "../api-server.ts";
import { busyWorld } from "../archived-world.ts";

const why = withoutPython();

let server: ApiServer;
let view: OnTerminal | undefined;

beforeAll(async () => {
  served.world = await busyWorld();
  const ids = ["status", "jobs", "nodes", "samples", "explain", "actions"] as const;
  server = await serveApi(Object.fromEntries(ids.map((id) => [id, handlerOf(id)])));
});

afterEach(() => view?.stop());
afterAll(() => server?.stop());

async function open(
  size: { readonly columns: number; readonly rows: number },
  more: Readonly<Record<string, string>> = {},
): Promise<OnTerminal> {
  const { PATH = "", HOME = "" } = process.env;
  const env = {
    PATH,
    HOME,
    TERM: "xterm-256color",
    CCSCALE_URL: server.url,
    CCSCALE_CLUSTER: cluster,
    ...more,
  };
  view = onTerminal(python, [process.execPath, builtCcscale, "top", "--every", "1"], { ...size, env });
  return view;
}

/** Waits for a screen; the time of the test is the limit, and shows the last one. */
async function sees(
  terminal: OnTerminal,
  isSo: (lines: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for (;;) {
    const lines = await terminal.screen();
    if (isSo(lines)) return lines;
    await sleep(50);
  }
}

const isOpen = (lines: readonly string[]) =>
  lines[0]?.startsWith(cluster) === true && lines.at(-1)?.startsWith("q quit") === true;

describe.skipIf(why !== "")(`ccscale top on a terminal of the system${why}`, () => {
  test("takes the whole screen, and fits it again when its size changes", async () => {
    const top = await open({ columns: 80, rows: 24 });
    const first = await sees(top, isOpen);
    expect(top.isAlternate()).toBe(true);
    expect(first).toHaveLength(24);
    top.resize(120, 40);
    const large = await sees(top, (lines) => lines.length === 40 && isOpen(lines));
    // What was cut on the smaller screen is whole.
    expect(large.some((line) => line.length > 80)).toBe(true);
    top.resize(60, 12);
    // Its last line is cut at the new width.
    const isSmall = (lines: readonly string[]) => lines.length === 12 && lines.at(-1)?.endsWith("…") === true;
    expect((await sees(top, isSmall)).at(-1)).toHaveLength(60);
  });

  test("keys sort, filter, explain, and ask before they drain", async () => {
    const top = await open({ columns: 100, rows: 30 });
    await sees(top, isOpen);
    top.type("e");
    await sees(
      top,
      (lines) =>
        lines.join("\n").includes("Each place asks for 64 ncpus") && lines.join("\n").includes("Esc: back"),
    );
    top.type("\u001b");
    await sees(top, isOpen);
    top.type("\t");
    await sees(top, (lines) => lines.some((line) => line.startsWith("* NODE")));
    top.type("s");
    await sees(top, (lines) => lines.some((line) => line.includes("by longest idle")));
    top.type("f");
    await sees(top, (lines) => lines.at(-1)?.startsWith("filter: _") === true);
    top.type("htc-2\r");
    await sees(top, (lines) => lines.some((line) => line.startsWith("> htc-2 ")));
    top.type("d");
    await sees(top, (lines) => lines.at(-1)?.startsWith("Drain htc-2? y: yes") === true);
    top.type("n");
    await sees(top, (lines) => lines.at(-1)?.startsWith("Nothing was done.") === true);
  });

  test.each([
    ["in colours", {}, true],
    ["without them where NO_COLOR is set", { NO_COLOR: "1" }, false],
  ] as const)("m shows nodes as blocks, %s", async (_, env, isColoured) => {
    const top = await open({ columns: 80, rows: 24 }, env);
    await sees(top, isOpen);
    top.type("m");
    const map = await sees(top, (lines) => lines.some((line) => line.startsWith("By array:")));
    expect(map.join("\n")).toMatch(/htc {2}F4s_v2 {2}\d+ nodes\n {2}█+▓+■×/);
    expect(top.written().includes("\u001b[34m█")).toBe(isColoured);
    top.type("m");
    await sees(top, (lines) => isOpen(lines) && lines.some((line) => line.startsWith("* JOB")));
  });

  test.each<[name: string, leave: (top: OnTerminal) => void, end: object]>([
    ["q", (top) => top.type("q"), { code: 0, signal: null }],
    ["Ctrl-C", (top) => top.type("\u0003"), { code: 0, signal: null }],
    ["SIGTERM", (top) => top.signal("TERM"), { code: null, signal: 15 }],
    ["SIGHUP", (top) => top.signal("HUP"), { code: null, signal: 1 }],
  ])("%s leaves the terminal as it was", async (_, leave, end) => {
    const top = await open({ columns: 80, rows: 24 });
    await sees(top, isOpen);
    leave(top);
    expect(await top.left).toEqual({ ...end, isAsBefore: true });
    await top.screen();
    expect(top.isAlternate()).toBe(false);
    const written = top.written();
    expect(written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(written.lastIndexOf("\u001b[?25l"));
  });

  test("without colour nothing but the cursor is moved", async () => {
    const top = await open({ columns: 80, rows: 24 }, { NO_COLOR: "1" });
    await sees(top, isOpen);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
    expect(top.written()).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test("a terminal that cannot move its cursor gets words, and is left alone", async () => {
    const top = await open({ columns: 80, rows: 24 }, { TERM: "dumb" });
    expect(await top.left).toEqual({ code: 1, signal: null, isAsBefore: true });
    expect(top.written()).toContain('Cannot open the live view: TERM is "dumb"');
    expect(top.written()).not.toContain("\u001b[?1049h");
  });
});
