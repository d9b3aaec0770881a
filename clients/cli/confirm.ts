import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

/** Asks on stderr, so that the output of a command stays its own. Anything but "y" or "yes" is a no, so is the end of input. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    // Only Enter on a keyboard ends the line on a screen.
    if (answer === undefined || terminal.stdin.isTTY !== true) terminal.stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } finally {
    lines.close();
  }
}
