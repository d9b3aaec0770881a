/** A command line of the command page. A test runs every one of them, and `printed` holds what it printed. */
export interface Example {
  /** As it is typed, without `ccscale`. Words with blanks or brackets stand in single quotes. */
  readonly line: string;
  readonly does: string;
  /** Whether the page shows what it prints. */
  readonly isShown?: true;
}

/** The words of a line, as a shell would split it. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
