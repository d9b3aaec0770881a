import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { wrapped, wrappedAfter } from "../output/wrapped.ts";

const indent = "  ";

/** Markdown for a terminal. A row of a table becomes its first cell with the others below, since cells hold sentences. */
export function markdownText(markdown: string, columns: number): readonly string[] {
  return blocksText(lexer(markdown), indent, columns);
}

/** Blocks with a blank line between any two. */
function blocksText(tokens: readonly Token[], start: string, columns: number): readonly string[] {
  const blocks = tokens.map((token) => blockText(token as MarkedToken, start, columns));
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function blockText(token: MarkedToken, start: string, columns: number): readonly string[] {
  switch (token.type) {
    case "heading":
      return [inlineText(token.tokens).toUpperCase()];
    case "code":
      return token.text.split("\n").map((line) => `${start}${indent}${line}`.trimEnd());
    case "table":
      return tableText(token, start, columns);
    case "list":
      return token.items.flatMap((item, index) => {
        const mark = token.ordered ? `${Number(token.start) + index}.` : "-";
        return itemText(item, `${start}${mark} `, columns);
      });
    case "blockquote":
      return blocksText(token.tokens, `${start}${indent}`, columns);
    case "paragraph":
    case "text":
      return filled(start, inlineText(token.tokens ?? [token]), columns);
    case "hr":
      return [`${start}---`];
    // Blank lines, comments, and targets of links.
    case "space":
    case "html":
    case "def":
    // Parts of lines and of lists, which are no blocks.
    case "br":
    case "checkbox":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
      return [];
  }
}

/** The first text stands after the mark; what is below it begins under the text. */
function itemText({ tokens }: Tokens.ListItem, start: string, columns: number): readonly string[] {
  const below = " ".repeat(start.length);
  const [first, ...others] = tokens;
  const lines = first === undefined ? [] : blockText(first as MarkedToken, below, columns);
  const rest = others.flatMap((token) => blockText(token as MarkedToken, below, columns));
  return [`${start}${lines[0]?.trimStart() ?? ""}`.trimEnd(), ...lines.slice(1), ...rest];
}

function tableText({ header, rows }: Tokens.Table, start: string, columns: number): readonly string[] {
  const below = `${start}${indent}${indent}`;
  return rows.flatMap(([first, ...others]) => {
    const shown = others.flatMap((cell, index) => {
      const text = inlineText(cell.tokens);
      if (text === "") return [];
      // The second column of most tables is what the first means, so it needs no name.
      const name = others.length === 1 ? "" : inlineText(header[index + 1]?.tokens ?? []);
      const before = name === "" ? below : `${below}${name}: `;
      return wrappedAfter(before, text, { columns, hang: below.length + indent.length }).split("\n");
    });
    return [...wrapped(`${start}${inlineText(first?.tokens ?? [])}`, columns).split("\n"), ...shown];
  });
}

function filled(start: string, text: string, columns: number): readonly string[] {
  return text === "" ? [] : wrappedAfter(start, text, { columns, hang: start.length }).split("\n");
}

/** On one line, without the marks of links, emphasis and code. What stands in code stays as it is. */
function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => spanText(token as MarkedToken))
    .join("")
    .trim();
}

function spanText(token: MarkedToken): string {
  switch (token.type) {
    case "br":
      return " ";
    case "codespan":
      return token.text;
    case "html":
      return token.text === "<br>" ? " " : "";
    case "text":
      return token.tokens === undefined ? onOneLine(token.text) : inlineParts(token.tokens);
    case "code":
    case "escape":
      return onOneLine(token.text);
    case "blockquote":
    case "del":
    case "em":
    case "heading":
    case "link":
    case "list_item":
    case "paragraph":
    case "strong":
      return inlineParts(token.tokens);
    // Nothing to read, or blocks of their own.
    case "checkbox":
    case "def":
    case "hr":
    case "image":
    case "list":
    case "space":
    case "table":
      return "";
  }
}

function onOneLine(text: string): string {
  return text.replaceAll("\n", " ");
}

function inlineParts(tokens: readonly Token[]): string {
  return tokens.map((token) => spanText(token as MarkedToken)).join("");
}
