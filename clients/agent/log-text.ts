import { printableCut } from "../../shared/text.ts";

/** Of one value or sentence in a line of the log. */
const longest = 300;

/** A text of any length and content as it may stand in a line of the log. */
export function logText(text: string): string {
  return printableCut(text, longest);
}
