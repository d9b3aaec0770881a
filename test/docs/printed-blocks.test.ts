import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { globSync } from "tinyglobby";
import { visit } from "unist-util-visit";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const printed = globSync("clients/cli/reference/printed/*.txt", { cwd: root })
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");

/** The first block of each command: later ones may be of another cluster. */
function firstBlocks(page: string): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>();
  visit(fromMarkdown(readFileSync(join(root, page), "utf8")), "code", ({ lang, value }) => {
    const command = value.split("\n")[0] ?? "";
    if (lang === "console" && !blocks.has(command)) blocks.set(command, value);
  });
  return blocks;
}

test("the first table of docs/cost.md is what the example of the command page prints", () => {
  const isWhole = ([command, block]: readonly [string, string]) =>
    printed.includes(`${command}\n`) && !block.includes("…");
  const known = [...firstBlocks("docs/cost.md")].filter(isWhole);
  expect(known.map(([command]) => command)).toEqual(["$ ccscale cost --by user"]);
  for (const [, block] of known) expect(printed).toContain(`${block}\n`);
});
