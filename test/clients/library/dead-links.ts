import { posix } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { visit } from "unist-util-visit";

/** Folders of a list of files, with all above them. */
function foldersOf(files: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files) {
    const parts = file.split("/").slice(0, -1);
    parts.forEach((_, index) => {
      folders.add(parts.slice(0, index + 1).join("/"));
    });
  }
  return folders;
}

/** Relative links of a page that lead to no file and no folder of a list of files. */
export function deadLinks(page: string, markdown: string, files: ReadonlySet<string>): readonly string[] {
  const folders = foldersOf(files);
  const dead: string[] = [];
  visit(fromMarkdown(markdown), (node) => {
    if (node.type !== "link" && node.type !== "image" && node.type !== "definition") return;
    if (/^([a-z]+:|#)/.test(node.url)) return;
    const [path = ""] = node.url.split("#");
    const target = posix.join(posix.dirname(page), path).replace(/\/$/, "");
    if (!files.has(target) && !folders.has(target)) dead.push(`${page} → ${node.url}`);
  });
  return dead;
}

/** Paths and sources that comments name, which editors show as hover texts, and that are not among a list of files. */
export function deadPathsInComments(source: string, files: ReadonlySet<string>): readonly string[] {
  const folders = foldersOf(files);
  const names = /\b(?:clients|shared|docs|test|infra|functions|examples)\/[\w./-]*\w|`[\w-]+\.tsx?`/g;
  return [...source.matchAll(/\/\*\*[\s\S]*?\*\//g)]
    .flatMap(([comment]) => [...comment.matchAll(names)])
    .map(([path]) => path)
    .filter((path) => !files.has(path) && !folders.has(path));
}
