import { shellWord } from "../../../shared/text/shell-word.ts";

export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
