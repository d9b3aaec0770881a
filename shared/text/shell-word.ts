/**
 * A text as one word of a POSIX shell, for commands that people copy. Names of jobs come from anybody: whatever a shell would read
 * in them is quoted.
 */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
