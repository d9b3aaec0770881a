import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { globSync } from "tinyglobby";
import { visit } from "unist-util-visit";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { files: listed } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
/** What is in the tarball beside what the build makes; npm adds the first three itself. */
const sources = new Set([
  ...["package.json", "README.md", "LICENSE"],
  ...globSync([...listed], { cwd: root, ignore: ["dist/**", "**/node_modules/**"] }),
]);
const folders = new Set([...sources].flatMap((file) => foldersOf(file)));

/** Pages about running, deploying or developing the service itself, for which one needs the repository. */
const aboutTheRepository = [
  ...["CONTRIBUTING", "SECURITY", "CHANGELOG", "AGENTS", "examples/README"],
  ...["autostop", "celery", "concepts", "dashboard", "deploy", "deploy-settings", "development"].map(inDocs),
  ...["documentation-coverage", "grid-engine", "jetpack", "local", "metrics", "pbs", "python"].map(inDocs),
  ...["security", "simulation", "slurm"].map(inDocs),
].map((page) => `${page}.md`);
const pages = [...sources].filter((file) => file.endsWith(".md") && !aboutTheRepository.includes(file));

function inDocs(name: string): string {
  return `docs/${name}`;
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Relative links of a page that lead to nothing in the tarball. */
function deadLinks(page: string): readonly string[] {
  const dead: string[] = [];
  visit(fromMarkdown(read(page)), (node) => {
    if (node.type !== "link" && node.type !== "image" && node.type !== "definition") return;
    if (/^([a-z]+:|#)/.test(node.url)) return;
    const [path = ""] = node.url.split("#");
    const target = posix.join(posix.dirname(page), path).replace(/\/$/, "");
    if (!sources.has(target) && !folders.has(target)) dead.push(node.url);
  });
  return dead;
}

test("the pages that a library user or an author of a driver needs are in the package", () => {
  expect(pages).toEqual(
    expect.arrayContaining(
      ["agent", "api", "cli", "commands", "constraints", "library", "post-demand", "schedulers"]
        .map(inDocs)
        .map((page) => `${page}.md`),
    ),
  );
});

test.each(pages)("%s has no link out of the package", (page) => {
  expect(deadLinks(page)).toEqual([]);
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
  const comments = [
    "clients/agent/drivers/driver.ts",
    ...globSync("clients/library/schedulers/*.ts", { cwd: root }),
  ]
    .flatMap((file) => [...read(file).matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) => comment))
    .flatMap((comment) => [...comment.matchAll(/\b(?:clients|shared|docs|test|infra)\/[\w./-]*\w/g)])
    .map(([path]) => path);
  expect(comments.filter((path) => !sources.has(path) && !folders.has(path))).toEqual([]);
});
