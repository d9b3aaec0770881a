/** The words of a command as a line for a terminal. */
export function commandLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:@,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}
