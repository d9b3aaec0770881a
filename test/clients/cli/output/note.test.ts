import { expect, test } from "vitest";
import { note } from "../../../../clients/cli/output/note.ts";
import { run } from "../../../../clients/cli/program.ts";
import { screen } from "./screen.ts";

const sentence = 'error: No state of a node is called "Nosuch", which is a long sentence\nOn its own line.';

test("note: a screen gets sentences broken between words, each on lines of its own", () => {
  const terminal = screen({ columns: 40 });
  note(terminal, sentence);
  expect(terminal.errors()).toBe(
    'error: No state of a node is called\n    "Nosuch", which is a long sentence\nOn its own line.\n',
  );
});

test("the error of a command is one", async () => {
  const terminal = screen({ columns: 40 });
  expect(await run(["nodes", "--offline", "no-such-folder-with-a-long-name.zip"], terminal)).toBe(1);
  const lines = terminal.errors().trimEnd().split("\n");
  expect(lines[0]).toMatch(/^error: Cannot read/);
  expect(lines.filter((line) => line.length > 40 && line.trim().includes(" "))).toEqual([]);
});
