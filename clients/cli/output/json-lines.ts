import { pipeline } from "node:stream/promises";
import { isDictionary } from "../../../shared/dictionary.ts";
import { messageOf } from "../../../shared/errors.ts";
import { parseJson } from "../../../shared/json.ts";
import { CommandFailure } from "../exit-code.ts";
import { linesOf } from "../scenario/lines.ts";
import type { Terminal } from "../terminal.ts";

/** Answers one value of the input; throws (or rejects) when it cannot, which spoils this line only. */
export type Answer = (value: unknown) => Promise<object>;

/**
 * Answers the input line by line, in order; empty lines are passed over. A line that cannot be answered gives `{name,
 * error}`. Holds one line at a time and waits for a slow reader, so the input may be of any length. Throws a
 * CommandFailure at the end when any line failed.
 */
export async function answerJsonLines({ stdin, stdout }: Terminal, answer: Answer): Promise<void> {
  const count = { lines: 0, failed: 0 };
  async function* answers(): AsyncGenerator<string> {
    for await (const line of linesOf(stdin)) {
      if (line.trim() === "") continue;
      const outcome = await answerLine(line, answer);
      count.lines++;
      if ("error" in outcome) count.failed++;
      yield `${JSON.stringify(outcome)}\n`;
    }
  }
  try {
    await pipeline(answers, stdout, { end: false });
  } catch (error) {
    // The reader has enough, as in `| head`.
    if (isBrokenPipe(error)) return;
    throw error;
  }
  if (count.failed > 0)
    throw new CommandFailure(
      `${count.failed} of ${count.lines} lines could not be answered`,
      'Look at the "error" of their answers, mend those lines and send them again.',
    );
}

async function answerLine(line: string, answer: Answer): Promise<object> {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    return { name: null, error: `Cannot read the line as JSON: ${messageOf(error)}` };
  }
  try {
    return await answer(value);
  } catch (error) {
    return { name: nameOf(value), error: messageOf(error) };
  }
}

function nameOf(value: unknown): string | null {
  return isDictionary(value) && typeof value.name === "string" ? value.name : null;
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
