import { type Terminal, widthOf } from "../terminal.ts";
import { wrapped } from "./wrapped.ts";

/** Writes sentences, each on lines of its own, beside the answer: to the error output, broken between words on a screen. */
export function note({ stderr }: Pick<Terminal, "stderr">, text: string): void {
  const columns = widthOf(stderr);
  const lines = text.split("\n").map((line) => wrapped(line, columns));
  stderr.write(`${lines.join("\n")}\n`);
}
