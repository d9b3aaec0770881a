import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const ignore = ["**/node_modules/**", "dist/**", ".package/**", ".local/**"];
const pages = globSync(["*.md", "docs/**/*.md", "*/**/README.md"], { cwd: root, ignore }).toSorted();
/** Each with a "/" before it: a name of a file is the end of its path. */
const files = globSync("**/*.{ts,tsx,bicep}", { cwd: root, ignore, dot: true }).map((path) => `/${path}`);
const fromRoot = /^(?:shared|functions|clients|infra|test|examples|docs|\.ci|\.github)\//;
const source = /^[\w./-]+\.(?:ts|tsx|bicep)$/;
/** Files that a reader makes. */
const made = new Set(["infra/my.bicepparam", "infra/main.json"]);

/** What each stretch of text (a cell, a paragraph, a line of a block of code) names as code, in its order. */
function stretchesOf(page: string): readonly (readonly string[])[] {
  const blocks = page.split(/^```[^\n]*$/m);
  return blocks.flatMap((block, index) =>
    index % 2 === 1
      ? block.split("\n").map(wordsOf)
      : block.split(/\n\s*\n|\n(?=\|)|(?<!\\)\|/).map((text) => {
          const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
          return spans.flatMap(wordsOf);
        }),
  );
}

function wordsOf(code: string): readonly string[] {
  return code.split(/[\s,"'()]+/);
}

function isFolder(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Paths of one stretch that lead nowhere. A name without a folder belongs to the folder that was named last. */
function missingIn(words: readonly string[], pageFolder: string): readonly string[] {
  const missing: string[] = [];
  let folder: string | undefined;
  for (const word of words) {
    const path = word.replace(/[.:;]$/, "").replace(/:\d+$/, "");
    if (/[*<>{}$…=@]/.test(path) || made.has(path)) continue;
    if (fromRoot.test(path)) {
      if (!existsSync(join(root, path))) missing.push(path);
      folder = isFolder(path) ? path.replace(/\/$/, "") : dirname(path);
    } else if (source.test(path) && !isSource(path, folder, pageFolder)) missing.push(path);
  }
  return missing;
}

function isSource(path: string, folder: string | undefined, pageFolder: string): boolean {
  if (existsSync(join(root, path))) return true;
  const around = [folder, dirname(folder ?? ""), pageFolder === "docs" ? undefined : pageFolder];
  const places = folder === undefined ? [""] : around.filter((place) => place !== undefined && place !== ".");
  return places.some((place) =>
    files.some((file) => file.endsWith(`/${path}`) && file.startsWith(place === "" ? "/" : `/${place}/`)),
  );
}

describe("paths in documents", () => {
  test.each([
    { name: "a path from the root", words: ["shared/engine/none.ts"], missing: ["shared/engine/none.ts"] },
    {
      name: "a name of another folder",
      words: ["shared/cycle/plan/", "allocate.ts"],
      missing: ["allocate.ts"],
    },
    {
      name: "a name beside the path before",
      words: ["shared/engine/plan.ts", "place/allocate.ts"],
      missing: [],
    },
    { name: "a word of a command", words: ["npx", "vitest", "run", "test/none"], missing: ["test/none"] },
    { name: "a name that no file has", words: ["no-such.tsx"], missing: ["no-such.tsx"] },
  ])("$name is looked up", ({ words, missing }) => {
    expect(missingIn(words, "docs")).toEqual(missing);
  });

  test.each(pages)("every path and file name in %s exists", (page) => {
    const words = stretchesOf(readFileSync(join(root, page), "utf8"));
    expect(words.flatMap((stretch) => missingIn(stretch, dirname(page)))).toEqual([]);
  });
});

test("Follow one job names each step of the code that a job passes, once", () => {
  const page = readFileSync(join(root, "docs/development.md"), "utf8");
  const [, section = ""] = /\n## Follow one job[^\n]*\n([\s\S]*?)\n## /.exec(page) ?? [];
  const names = stretchesOf(section)
    .flat()
    .filter((word) => word.endsWith(".ts"));
  expect(names.length).toBeGreaterThan(20);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toContain("plan-spot.ts");
});
