import { expect, test } from "vitest";
import { CommandFailure } from "../../../clients/cli/exit-code.ts";
import { watching } from "../../../clients/cli/watch.ts";
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
