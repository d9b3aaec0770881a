import { wrapped, wrappedAfter } from "../output/wrapped.ts";

const indent = "  ";

/**
 * Markdown as our own pages have it, for a terminal of so many columns: headings, paragraphs, lists, tables, code. A row of a
 * table becomes its first cell with the others below it, since cells hold sentences.
 */
export function markdownText(markdown: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const block of blocksOf(markdown)) {
    const shown = shownBlock(block, columns);
    if (shown.length > 0) lines.push(...(lines.length > 0 ? [""] : []), ...shown);
  }
  return lines;
}

/** Code with its blank lines is one block; else blank lines separate them, and a heading stands alone. */
function blocksOf(markdown: string): readonly string[] {
  const blocks = [
    ...markdown.matchAll(/^ *```[^\n]*\n[\s\S]*?^ *```$|^#+ .*$|(?:^(?! *```|#+ ).*\S.*(?:\n|$))+/gm),
  ];
  return blocks.map(([block]) => block.trimEnd());
}

function shownBlock(block: string, columns: number): readonly string[] {
  if (/^ *```/.test(block))
    return block
      .split("\n")
      .slice(1, -1)
      .map((line) => `${indent}${indent}${line}`.trimEnd());
  const heading = /^#+ (.*)$/.exec(block)?.[1];
  if (heading !== undefined) return [plain(heading).toUpperCase()];
  if (/^\s*(<|!\[)/.test(block)) return [];
  if (block.startsWith("|")) return tableText(block, columns);
  if (/^ *(?:[-*]|\d+\.) /.test(block)) return listText(block, columns);
  return wrappedAfter(indent, plain(joined(block)), { columns, hang: indent.length }).split("\n");
}

function listText(block: string, columns: number): readonly string[] {
  return block.split(/\n(?= *(?:[-*]|\d+\.) )/).flatMap((item) => {
    const [, mark = "-", text = ""] = /^ *([-*]|\d+\.) ([\s\S]*)$/.exec(item) ?? [];
    const start = `${indent}${mark} `;
    return wrappedAfter(start, plain(joined(text)), { columns, hang: start.length }).split("\n");
  });
}

function tableText(block: string, columns: number): readonly string[] {
  const [head = [], , ...rows] = block.split("\n").map(cellsOf);
  return rows.flatMap(([first = "", ...others]) => {
    const shown = others.flatMap((cell, index) => {
      const text = plain(cell);
      if (text === "") return [];
      // The second column of most tables is what the first means, so it needs no name.
      const name = others.length === 1 ? "" : `${plain(head[index + 1] ?? "")}: `;
      const start = `${indent}${indent}${indent}${name === ": " ? "" : name}`;
      return wrappedAfter(start, text, { columns, hang: indent.length * 3 + 2 }).split("\n");
    });
    return [...wrapped(`${indent}${plain(first)}`, columns).split("\n"), ...shown];
  });
}

/** A `|` in code stands as `\|`. */
function cellsOf(row: string): readonly string[] {
  return row
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function joined(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}

/** Without the marks of links, emphasis and code. What stands in code stays as it is. */
function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part.slice(1, -1)
        : part.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\*\*?(\w[^*]*)\*\*?/g, "$1"),
    )
    .join("")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("<br>", " ");
}
