import { Readable, Writable } from "node:stream";
import { WriteStream } from "node:tty";
import type { Output, Terminal } from "../../../../clients/cli/terminal.ts";

/** A terminal in memory; `columns`: a screen of that width, else nobody looks. `types`: what comes from its keyboard. */
export function screen({
  columns,
  types,
}: {
  readonly columns?: number | undefined;
  readonly types?: string | undefined;
} = {}): Terminal & {
  readonly text: () => string;
  readonly errors: () => string;
} {
  const stdout = sink(columns);
  const stderr = sink(columns);
  return {
    stdin: Object.assign(Readable.from(types === undefined ? [] : [types]), { isTTY: types !== undefined }),
    stdout: stdout.output,
    stderr: stderr.output,
    text: stdout.text,
    errors: stderr.text,
  };
}

function sink(columns: number | undefined): { readonly output: Output; readonly text: () => string } {
  const chunks: string[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString("utf8"));
      done();
    },
  });
  return {
    output:
      columns === undefined
        ? output
        : Object.assign(output, { isTTY: true, columns, getColorDepth: WriteStream.prototype.getColorDepth }),
    text: () => chunks.join(""),
  };
}
