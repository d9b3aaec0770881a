import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

/** Asks on stderr, so that the output of a command stays its own. Anything but "y" or "yes" is a no, so is the end of input. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
