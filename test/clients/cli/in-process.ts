import { Readable, Writable } from "node:stream";
import { run } from "../../../clients/cli/program.ts";

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process over streams of its own. */
export async function ccscale(
  argv: readonly string[],
  input: Iterable<string> | AsyncIterable<string> = [],
): Promise<Finished> {
  const stdout = new TextSink();
  const stderr = new TextSink();
  const code = await run(argv, { stdin: Readable.from(input), stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The lines of an output as JSON. */
export function jsonLines(output: string): readonly unknown[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

class TextSink extends Writable {
  readonly #chunks: string[] = [];

  get text(): string {
    return this.#chunks.join("");
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk.toString("utf8"));
    done();
  }
}
