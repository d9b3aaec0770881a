import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { questions } from "../../bench/questions/list.ts";
import { ccscale } from "./in-process.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operate.md"), "utf8");
const [, table = ""] = /^## Questions of a day\n(.*?)^## /ms.exec(page) ?? [];

/** The command's own words, such as "config rollback", and its options. */
function partsOf(argv: readonly string[]): {
  readonly words: readonly string[];
  readonly options: readonly string[];
} {
  const [command = "", sub = ""] = argv;
  const hasSub = ["config", "rejects", "keep-alive"].includes(command);
  return {
    words: hasSub ? [command, sub] : [command],
    options: argv.filter((word) => /^(--[a-z]|-[a-zA-Z]$)/.test(word)),
  };
}

describe("the questions of a day: each answer is found within two looks at the help", () => {
  test("there are 36 of them, each asked once", () => {
    expect(new Set(questions.map(({ ask }) => ask)).size).toBe(36);
  });

  test.each(questions.map(({ ask, argv }) => [ask, argv] as const))("%s", async (_, argv) => {
    const { words, options } = partsOf(argv);
    const first = await ccscale(["--help"]);
    expect(first.stdout).toMatch(new RegExp(`^  ${words[0]} `, "m"));
    const second = await ccscale([...words, "--help"]);
    expect(second.code).toBe(0);
    for (const option of options) expect(second.stdout).toMatch(new RegExp(`^ +(-\\w, )?${option}\\b`, "m"));
  });

  test("the page for operators has every command that answers one", () => {
    const commands = [...table.matchAll(/`ccscale ([^`]*)`/g)].map(([, line = ""]) => line);
    const missing = questions.filter(({ argv }) => {
      const { words } = partsOf(argv);
      return !commands.some((line) => line.startsWith(words.join(" ")));
    });
    expect(missing).toEqual([]);
  });
});
