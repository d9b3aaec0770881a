import truncatedWidth from "fast-string-truncated-width";
import { wrapAnsi } from "fast-wrap-ansi";
import { isAscii } from "../../../shared/text.ts";

/**
 * Further lines of a sentence stand so much further right than its first. More than the two of a list's member or of what
 * comes under a sentence, so that the next sentence and the rest of this one look different.
 */
export const furtherIn = 4;

const margin = /^ */;

/**
 * A line of words for a screen of `columns`, undefined where nobody looks: broken between words, its further lines set in. A
 * word that is wider than the screen stays whole, so that it can be copied. What it is given is printable.
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

/** In columns of a screen. */
export function cellWidth(cell: string | number | undefined): number {
  const text = String(cell ?? "");
  return isAscii(text) ? text.length : truncatedWidth(text).width;
}
