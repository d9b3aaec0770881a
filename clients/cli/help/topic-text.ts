import { lexer, type Token, type Tokens } from "marked";
import { readPage } from "./docs-pages.ts";
import type { Topic } from "./topics.ts";

/** The Markdown of a topic. Throws an Error for a heading that its page does not have. */
export function textOf({ file, headings }: Topic): string {
  const page = readPage(file);
  if (headings.length === 0) return page;
  const tokens = lexer(page);
  return headings.map((heading) => sectionOf(tokens, heading, file)).join("\n");
}

/** A heading of the second level, with all up to the next heading of its level or above. */
function sectionOf(tokens: readonly Token[], heading: string, file: string): string {
  const start = tokens.findIndex((token) => isHeading(token) && token.text === heading);
  if (start < 0) throw new Error(`Cannot find "## ${heading}" in docs/${file}`);
  const rest = tokens.slice(start + 1);
  const length = rest.findIndex((token) => token.type === "heading" && token.depth <= 2);
  const section = length < 0 ? rest : rest.slice(0, length);
  return [tokens[start], ...section].map((token) => token?.raw ?? "").join("");
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading" && token.depth === 2;
}
