import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../../../shared/text/shell-word.ts";

test.each(["1202", "array/job:3", "a@b,c=d+e%f", "htc_1.x-2"])("shellWord: %s needs no quotes", (text) => {
  expect(shellWord(text)).toBe(text);
});

test.each(["", "two words", "it's", "'; echo hit; '", "$(echo hit)", "`echo hit`", "a\nb", "*", "~", "ä"])(
  "shellWord: a shell reads %j as one word, and runs nothing of it",
  (text) => {
    const read = execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" });
    expect(read).toBe(text);
  },
);
