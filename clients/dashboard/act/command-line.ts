import { shellWord } from "../../../shared/text/shell-word.ts";

/** The words of a command as a line for a terminal. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
