import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limitNames } from "../../shared/engine/index.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/limits.md"), "utf8");
/** What stands in the first column of the page's tables. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split(" | ")[0] ?? "");

test.each(limitNames)("docs/limits.md has a row for %s", (name) => {
  expect(rows.some((first) => first.includes(`\`${name}\``))).toBe(true);
});
