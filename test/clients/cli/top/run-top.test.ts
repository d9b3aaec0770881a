import { PassThrough, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import xterm from "@xterm/headless";
import { expect, test, vi } from "vitest";
import { CommandFailure } from "../../../../clients/cli/exit-code.ts";
import { refuseWithoutScreen } from "../../../../clients/cli/top/full-screen.ts";
import { runTop, type TopCalls } from "../../../../clients/cli/top/run-top.ts";
import { screen } from "../output/screen.ts";
import { topData } from "./sample-top.ts";

/** Lets pending work go on until that is so; the time of the test is the limit. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turn();
}

/** A terminal that understands what is written to it, with a keyboard and a clock moved by hand. */
function bench(changed: Partial<TopCalls> = {}) {
  const shown = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const written: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
    },
  });
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString("utf8"));
      shown.write(chunk, done);
    },
  });
  const stdout = Object.assign(sink, { isTTY: true, columns: 80, rows: 24, getColorDepth: () => 1 });
  const ending = new AbortController();
  let due: (() => void) | undefined;
  const calls: TopCalls = {
    read: vi.fn(async () => topData()),
    explain: vi.fn(async () => ["It needs 160 cores."]),
    previewDrain: vi.fn(async () => ({ would: true, lines: ["1 node would be drained"] })),
    drain: vi.fn(async () => "1 node is drained"),
    ...changed,
  };
  shown.write("before\r\n");
  const done = runTop({ stdin, stdout, stderr: stdout }, calls, {
    everySeconds: 3,
    isColoured: true,
    signal: ending.signal,
    after: (_, run) => {
      due = run;
      return () => {
        if (due === run) due = undefined;
      };
    },
  });
  const page = async () => {
    // On a busy machine the terminal still has to be given what was written last.
    await until(() => sink.writableLength === 0);
    await new Promise<void>((resolve) => shown.write("", resolve));
    const { active } = shown.buffer;
    return Array.from({ length: 24 }, (_, row) => active.getLine(row)?.translateToString(true) ?? "").join(
      "\n",
    );
  };
  const isSetBack = async () => {
    const text = await page();
    const all = written.join("");
    return {
      isNormal: shown.buffer.active.type === "normal" && text.startsWith("before"),
      isCursorShown: all.lastIndexOf("\u001b[?25h") > all.lastIndexOf("\u001b[?25l"),
      isRaw: stdin.isRaw,
      isIdle: due === undefined,
    };
  };
  return {
    calls,
    done,
    ending,
    stdin,
    stdout,
    page,
    isSetBack,
    isOpen: () => until(() => stdin.isRaw),
    /** Waits until that is on the screen. */
    sees: (text: string) => until(async () => (await page()).includes(text)),
    type: (keys: string) => void stdin.write(keys),
    /** The clock reaches the next refresh. */
    async tick() {
      await until(() => due !== undefined);
      const run = due;
      due = undefined;
      run?.();
      await turn();
    },
  };
}

const back = { isNormal: true, isCursorShown: true, isRaw: false, isIdle: true };

test.each([
  ["q", "q"],
  ["Ctrl-C", "\u0003"],
])("%s leaves the terminal as it was", async (_, keys) => {
  const view = bench();
  await view.isOpen();
  await view.sees("DEGRADED: htc does not boot");
  view.type(keys);
  await view.done;
  expect(await view.isSetBack()).toEqual(back);
  expect(view.stdin.listenerCount("keypress")).toBe(0);
  expect(view.stdout.listenerCount("resize")).toBe(0);
});

test("so does a signal, and a keyboard that goes away", async () => {
  for (const ends of [
    (view: ReturnType<typeof bench>) => view.ending.abort(),
    (view: ReturnType<typeof bench>) => void view.stdin.end(),
  ]) {
    const view = bench();
    await view.isOpen();
    ends(view);
    await view.done;
    expect(await view.isSetBack()).toEqual(back);
  }
});

test("so does an error that nobody expected", async () => {
  const view = bench({ explain: () => Promise.reject(new Error("a bug")) });
  await view.isOpen();
  view.type("e");
  await expect(view.done).rejects.toThrow("a bug");
  expect(await view.isSetBack()).toEqual(back);
});

test("a first answer that fails is thrown before anything is written", async () => {
  const view = bench({ read: () => Promise.reject(new CommandFailure("no answer", "Try again.")) });
  await expect(view.done).rejects.toThrow("no answer");
  expect(view.stdin.isRaw).toBe(false);
});

test("a later one is shown, and the view goes on with what it has until the next", async () => {
  const answers = [
    async () => topData(),
    () => Promise.reject(new CommandFailure("no answer", "Try again.")),
    async () => topData({}, { problems: [] }),
  ];
  const view = bench({ read: () => (answers.shift() ?? (async () => topData()))() });
  await view.isOpen();
  await view.tick();
  await view.sees("not refreshed: no answer Try again.");
  expect(await view.page()).toContain("DEGRADED: htc does not boot");
  await view.tick();
  await view.sees("No problems.");
  expect(await view.page()).not.toContain("not refreshed");
  view.type("q");
  await view.done;
});

test("a drain is shown first, and done after y only", async () => {
  const view = bench();
  await view.isOpen();
  view.type("\td");
  await view.sees("Drain htc-2? y: yes");
  expect(await view.page()).toContain("1 node would be drained");
  view.type("n");
  await view.sees("Nothing was done.");
  expect(view.calls.drain).not.toHaveBeenCalled();
  view.type("d");
  await view.sees("Drain htc-2? y: yes");
  view.type("y");
  await view.sees("1 node is drained");
  expect(view.calls.drain).toHaveBeenCalledExactlyOnceWith({ name: "htc-2", nodeId: "id-htc-2" });
  view.type("q");
  await view.done;
});

test("a drain that would do nothing asks nothing", async () => {
  const view = bench({ previewDrain: async () => ({ would: false, lines: ["htc-2: it is drained"] }) });
  await view.isOpen();
  view.type("\td");
  await view.sees("htc-2: it is drained");
  expect(await view.page()).not.toContain("Drain htc-2?");
  view.type("q");
  await view.done;
});

test("an explanation takes the place of the lists until Esc", async () => {
  const view = bench();
  await view.isOpen();
  view.type("e");
  await view.sees("It needs 160 cores.");
  view.type("e");
  await view.sees("REASON  (2, by queue)");
  view.type("q");
  await view.done;
});

test.each([
  ["a pipe", screen(), "xterm"],
  ["a screen without a keyboard", screen({ columns: 80 }), "xterm"],
  ["a terminal that cannot move its cursor", screen({ columns: 80, types: "" }), "dumb"],
])("%s is refused, with what to use instead", (_, terminal, kind) => {
  expect(() => refuseWithoutScreen(terminal, kind)).toThrow("Cannot open the live view");
  expect(terminal.text()).toBe("");
});
