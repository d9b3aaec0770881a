import type { ListedWorkload, Workload } from "../trace-job.ts";

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
  const splitter = new LineSplitter(reader);
  for await (const part of parts) splitter.add(part);
  splitter.end();
  return reader.end();
}

/** Reads a whole text, with the jobs as an array. */
export function readText(reader: LineReader, text: string): ListedWorkload {
  const splitter = new LineSplitter(reader);
  splitter.add(text);
  splitter.end();
  const { jobs, ...rest } = reader.end();
  return { jobs: [...jobs], ...rest };
}

class LineSplitter {
  readonly #reader: Pick<LineReader, "line">;
  /** Parts of the unfinished line, joined once: otherwise a file without line ends would be copied with each part. */
  #begun: string[] = [];
  #number = 0;

  constructor(reader: Pick<LineReader, "line">) {
    this.#reader = reader;
  }

  add(part: string): void {
    let start = 0;
    for (let end = part.indexOf("\n"); end >= 0; end = part.indexOf("\n", start)) {
      this.#begun.push(part.slice(start, end));
      this.#line();
      start = end + 1;
    }
    if (start < part.length) this.#begun.push(part.slice(start));
  }

  /** The last line may have no end. */
  end(): void {
    if (this.#begun.length > 0) this.#line();
  }

  #line(): void {
    const text = this.#begun.join("").trim();
    this.#begun = [];
    this.#number += 1;
    this.#reader.line({ number: this.#number, text });
  }
}
