import { wrapAnsi } from "fast-wrap-ansi";
import { cellWidth } from "../../columns/table.ts";

/** Indent of a sentence's further lines. Larger than that of list members, which a further line would look like. */
export const furtherIn = 4;

const margin = /^ */;

/**
 * A sentence for a screen of `columns`: broken between words, further lines indented. A word that is wider than the screen
 * stays whole, so that it can be copied. `columns` is undefined for a pipe or a file; the text is printable already.
 */
export function wrapped(text: string, columns: number | undefined): string {
  const start = margin.exec(text)?.[0] ?? "";
  return wrappedAfter(start, text.slice(start.length), { columns, hang: start.length + furtherIn });
}

/** The same for words after something that stays as it is, such as the name of a fact; further lines begin at `hang`. */
export function wrappedAfter(
  start: string,
  text: string,
  { columns, hang }: { readonly columns: number | undefined; readonly hang: number },
): string {
  if (columns === undefined || cellWidth(start) + cellWidth(text) <= columns) return `${start}${text}`;
  // The first line may hold no more than the others: the library knows one width.
  const lines = wrapAnsi(text, Math.max(1, columns - hang));
  return `${start}${lines.replaceAll("\n", `\n${" ".repeat(hang)}`)}`;
}
