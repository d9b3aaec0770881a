/** A line of a text, with its number from 1. */
export interface NumberedLine {
  readonly number: number;
  /** Without white space around it. */
  readonly text: string;
}

/** The lines of a text, one at a time: a trace of a million jobs need not exist twice. */
export function* linesOf(text: string): Generator<NumberedLine, undefined> {
  let start = 0;
  for (let number = 1; start < text.length; number += 1) {
    const end = text.indexOf("\n", start);
    const until = end < 0 ? text.length : end;
    yield { number, text: text.slice(start, until).trim() };
    start = until + 1;
  }
  return undefined;
}
