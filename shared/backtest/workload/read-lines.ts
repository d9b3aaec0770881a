import type { Workload } from "../trace-job.ts";

/** A line of a text, with its number from 1. */
export interface NumberedLine {
  readonly number: number;
  /** Without white space around it. */
  readonly text: string;
}

/** Reads a workload one line at a time, so that a trace is never in memory as a whole. */
export interface LineReader<Read = Workload> {
  line(line: NumberedLine): void;
  /** After the last line. */
  end(): Read;
}

/** Reads a text that comes in parts, cut anywhere. */
export async function readLines<Read>(
  reader: LineReader<Read>,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<Read> {
  // Parts of the unfinished line, joined once: otherwise a file without line ends would be copied with each part.
  let begun: string[] = [];
  let number = 0;
  const endLine = () => {
    number += 1;
    reader.line({ number, text: begun.join("").trim() });
    begun = [];
  };
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf("\n"); end >= 0; end = part.indexOf("\n", start)) {
      begun.push(part.slice(start, end));
      endLine();
      start = end + 1;
    }
    if (start < part.length) begun.push(part.slice(start));
  }
  // The last line may have no end.
  if (begun.length > 0) endLine();
  return reader.end();
}
