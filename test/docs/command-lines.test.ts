import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { globSync } from "tinyglobby";
import { visit } from "unist-util-visit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ccscale } from "../clients/cli/in-process.ts";
import { withoutPauses } from "../support/without-pauses.ts";

const root = join(import.meta.dirname, "../..");
// The command page has tests of its own, which run its examples.
const pages = ["README.md", ...globSync("docs/*.md", { cwd: root, ignore: "docs/commands.md" })].toSorted();
const service = [
  "CCSCALE_URL",
  "CCSCALE_CONFIG",
  "AUTOSCALE_FUNCTIONS_URL",
  "AutoscaleStorage",
  "AutoscaleStorage__accountName",
];
/** They run until they are stopped, work on the local environment, or write a file. */
const notHere = new Set(["agent", "backtest", "config init", "lab", "mcp", "support-archive", "top"]);
/** With placeholders where a number or the name of a file has to be. */
const withPlaceholders = [
  "ccscale autoscale --name ARRAY --instancecount N",
  "ccscale keep-alive on\\|off",
  "ccscale drain -N @rack7 --rolling 10% --reason 'new image'",
  "ccscale … --offline",
];

/** The words of a line as a shell has them, up to a pipe or a redirection. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const letter of `${line} `) {
    if (quote !== "" && letter === quote) quote = "";
    else if (quote === "" && (letter === "'" || letter === '"')) {
      quote = letter;
      word ??= "";
    } else if (quote === "" && letter === " ") {
      if (word === ">" || word === "|" || word === "#") return words;
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  return words;
}

const starts = ["ccscale ", "$ ccscale ", "npm run -s ccscale -- "];

/** Lines of blocks, and code in sentences that is more than the name of a command and of an option. */
function linesOf(page: string): readonly string[] {
  const found: string[] = [];
  visit(fromMarkdown(readFileSync(join(root, page), "utf8")), (node) => {
    if (node.type === "code")
      for (const line of node.value.split("\n")) {
        const start = starts.find((each) => line.startsWith(each));
        if (start !== undefined) found.push(`ccscale ${line.slice(start.length)}`);
      }
    if (node.type === "inlineCode" && node.value.startsWith("ccscale ") && !isName(node.value))
      found.push(node.value);
  });
  return [...new Set(found)].filter((line) => !withPlaceholders.includes(line));
}

function isName(code: string): boolean {
  return code
    .split(" ")
    .every((word) => [...word].every((letter) => "-_abcdefghijklmnopqrstuvwxyz".includes(letter)));
}

// Nothing is asked of a service: without one a line that can be read ends with 1.
beforeEach(() => {
  withoutPauses();
  for (const name of service) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const lines = pages.flatMap((page) => linesOf(page).map((line) => ({ page, line })));

test("there are many", () => {
  expect(lines.length).toBeGreaterThan(80);
});

test.each(lines)("$page: $line is a line that ccscale can read", async ({ line }) => {
  const [, ...args] = wordsOf(line).filter((word) => word !== "--local");
  if (notHere.has(args[0] ?? "") || notHere.has(args.slice(0, 2).join(" "))) return;
  const { code, stderr } = await ccscale(args);
  expect({ code: code === 2, stderr: code === 2 ? stderr : "" }).toEqual({ code: false, stderr: "" });
});
