import { Writable } from "node:stream";
import type { Output, Terminal } from "../terminal.ts";

/** A terminal that keeps what is written to it, out and error in their order, and looks as wide as the real one. */
export function captured(terminal: Terminal): { readonly terminal: Terminal; readonly text: () => string } {
  const chunks: string[] = [];
  const keep = (output: Output): Output => {
    const kept = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        chunks.push(chunk.toString());
        done();
      },
    });
    return Object.assign(kept, {
      ...(output.isTTY !== undefined && { isTTY: output.isTTY }),
      ...(output.columns !== undefined && { columns: output.columns }),
      ...(output.getColorDepth !== undefined && { getColorDepth: () => output.getColorDepth?.() ?? 1 }),
    });
  };
  return {
    terminal: { stdin: terminal.stdin, stdout: keep(terminal.stdout), stderr: keep(terminal.stderr) },
    text: () => chunks.join(""),
  };
}
