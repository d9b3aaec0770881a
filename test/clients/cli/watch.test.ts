import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { CommandFailure } from "../../../clients/cli/exit-code.ts";
import { watching } from "../../../clients/cli/look.ts";
import { screen } from "./output/screen.ts";

test("without --watch it is shown once, and a failure is thrown", async () => {
  const terminal = screen();
  await watching(terminal, {}, async ({ stdout }) => void stdout.write("page\n"));
  expect(terminal.text()).toBe("page\n");
  const failing = watching(terminal, {}, async () => {
    throw new CommandFailure("no answer", "Try again.");
  });
  await expect(failing).rejects.toThrow("no answer");
});

test("with --watch it is shown again and again, a failure in its turn, until it is ended", async () => {
  const terminal = screen();
  const ending = new AbortController();
  let pages = 0;
  const show: Parameters<typeof watching>[2] = async ({ stdout }) => {
    pages++;
    if (pages === 3) ending.abort();
    if (pages === 2) throw new CommandFailure("no answer", "Try again.");
    stdout.write(`page ${pages}\n`);
  };
  await watching(terminal, { watch: 0.001 }, show, ending.signal);
  expect(terminal.text()).toBe("page 1\n\nerror: no answer\nTry again.\n\npage 3\n\n");
});

test("lines of JSON follow each other without a gap", async () => {
  const terminal = screen();
  const ending = new AbortController();
  let count = 0;
  const show: Parameters<typeof watching>[2] = async ({ stdout }) => {
    stdout.write(`{"count":${++count}}\n`);
    if (count === 2) ending.abort();
  };
  await watching(terminal, { watch: 0.001, format: "jsonl" }, show, ending.signal);
  expect(terminal.text()).toBe('{"count":1}\n{"count":2}\n');
});

test("of a page that is higher than the screen the beginning is shown, and how much is missing", async () => {
  const terminal = screen({ columns: 80 });
  Object.assign(terminal.stdout, { rows: 6 });
  const ending = new AbortController();
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
  const show: Parameters<typeof watching>[2] = async ({ stdout }) => {
    stdout.write(`${lines.join("\n")}\n`);
    ending.abort();
  };
  await watching(terminal, { watch: 0.001 }, show, ending.signal);
  const shown = stripVTControlCharacters(terminal.text()).trim().split("\n");
  expect(shown).toEqual(["line 1", "line 2", "line 3", "line 4", "… 6 more lines: space"]);
});

test("keys show what is below, and end it", async () => {
  const keyboard = new PassThrough();
  const modes: boolean[] = [];
  const terminal = {
    ...screen({ columns: 80 }),
    stdin: Object.assign(keyboard, { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) }),
  };
  Object.assign(terminal.stdout, { rows: 6 });
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
  const show: Parameters<typeof watching>[2] = async ({ stdout }) => {
    stdout.write(`${lines.join("\n")}\n`);
    // The keys come while it waits for the next page.
    setImmediate(() => keyboard.write("  k"));
    setImmediate(() => setImmediate(() => keyboard.write("q")));
  };
  await watching(terminal, { watch: 3_600 }, show);
  const shown = stripVTControlCharacters(terminal.text());
  expect(shown).toContain("line 7\nline 8\nline 9\nline 10\n… the end, Page Up for what is above");
  expect(shown).toContain("line 6\nline 7\nline 8\nline 9\n… 1 more lines: space, Page Up for what is above");
  expect(modes).toEqual([true, false]);
});

test("a page that looks like the last one is not written again", async () => {
  const terminal = screen();
  const ending = new AbortController();
  const texts = ["same", "same", "other", "other", "same"];
  await watching(
    terminal,
    { watch: 0.001 },
    async ({ stdout }) => {
      stdout.write(`${texts.shift()}\n`);
      if (texts.length === 0) ending.abort();
    },
    ending.signal,
  );
  expect(terminal.text()).toBe("same\n\nother\n\nsame\n\n");
});
