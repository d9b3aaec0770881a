import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import GithubSlugger from "github-slugger";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as textOf } from "mdast-util-to-string";
import { globSync } from "tinyglobby";
import { visit } from "unist-util-visit";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const pages = globSync(["**/*.md"], {
  cwd: root,
  dot: true,
  ignore: ["**/node_modules/**", "dist/**", ".package/**", ".git/**"],
}).toSorted();

interface Page {
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

const read = new Map<string, Page>();

function pageOf(file: string): Page {
  const known = read.get(file);
  if (known !== undefined) return known;
  const slugger = new GithubSlugger();
  const links: string[] = [];
  const anchors = new Set<string>();
  visit(fromMarkdown(readFileSync(join(root, file), "utf8")), (node) => {
    if (node.type === "heading") anchors.add(slugger.slug(textOf(node)));
    if (node.type === "link" || node.type === "image" || node.type === "definition") links.push(node.url);
  });
  const page = { links, anchors };
  read.set(file, page);
  return page;
}

/** Why a link leads nowhere; undefined: it leads somewhere, or out of the repository. */
function brokenBy(file: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined;
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? file : relative(root, join(root, dirname(file), path));
  if (target.startsWith("..") || !existsSync(join(root, target))) return `${file} → ${link}: no such file`;
  if (anchor === undefined || anchor === "" || statSync(join(root, target)).isDirectory()) return undefined;
  if (!target.endsWith(".md")) return undefined;
  return pageOf(target).anchors.has(anchor) ? undefined : `${file} → ${link}: no such heading`;
}

describe("documents", () => {
  test.each(pages)("every link of %s leads to a file and a heading that exist", (file) => {
    expect(pageOf(file).links.flatMap((link) => brokenBy(file, link) ?? [])).toEqual([]);
  });

  test("README.md fits on a few screens", () => {
    expect(readFileSync(join(root, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(121);
  });

  test("every page of docs is reached from README.md", () => {
    const seen = new Set<string>();
    const follow = (file: string): void => {
      if (seen.has(file) || !file.endsWith(".md") || !existsSync(join(root, file))) return;
      seen.add(file);
      for (const link of pageOf(file).links) {
        const [path = ""] = link.split("#");
        if (path !== "" && !/^[a-z]+:/.test(path)) follow(relative(root, join(root, dirname(file), path)));
      }
    };
    follow("README.md");
    expect(pages.filter((page) => page.startsWith("docs/") && !seen.has(page))).toEqual([]);
  });
});
