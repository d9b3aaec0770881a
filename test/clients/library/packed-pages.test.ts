import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { deadLinks, deadPathsInComments } from "./dead-links.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { files: listed } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
/** What is in the tarball beside what the build makes; npm adds the first three itself. */
const sources = new Set([
  ...["package.json", "README.md", "LICENSE"],
  ...globSync([...listed], { cwd: root, ignore: ["dist/**", "**/node_modules/**"] }),
]);
const pages = [...sources].filter((file) => file.endsWith(".md"));

test("the pages that a library user or an author of a driver needs are in the package", () => {
  const needed = ["agent", "api", "cli", "commands", "constraints", "library", "post-demand", "schedulers"];
  expect(pages).toEqual(expect.arrayContaining(needed.map((name) => `docs/${name}.md`)));
});

test.each(pages)("%s has no link out of the package", (page) => {
  expect(deadLinks(page, read(page), sources)).toEqual([]);
});

test("each field of a job has a comment, which editors show", () => {
  const [, body = ""] =
    /export interface Job extends JobDetails \{\n([\s\S]*?)\n\}/.exec(
      read("clients/agent/drivers/driver.ts"),
    ) ?? [];
  const lines = body.split("\n");
  const fields = lines.flatMap((line, index) => (/^ {2}readonly \w+/.test(line) ? [index] : []));
  expect(fields.length).toBeGreaterThan(8);
  expect(fields.filter((index) => !lines[index - 1]?.endsWith("*/")).map((index) => lines[index])).toEqual(
    [],
  );
});

test("what a driver's types say names no file that is not in the package", () => {
  const files = [
    "clients/agent/drivers/driver.ts",
    ...globSync("clients/library/schedulers/*.ts", { cwd: root }),
  ];
  expect(files.flatMap((file) => deadPathsInComments(read(file), sources))).toEqual([]);
});
