import { pipeline } from "node:stream/promises";
import { hasCode, messageOf } from "../../../shared/errors/errors.ts";
import { isDictionary, parseJson } from "../../../shared/json/json.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** Answers one value of the input. If it throws, only this line fails. */
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
    // The reader has closed the pipe, as `| head` does.
    if (hasCode(error, "EPIPE")) return;
    throw error;
  }
  if (count.failed > 0)
    throw new CommandFailure(
      `${count.failed} of ${count.lines} lines could not be answered`,
      'See "error" in their answers, fix those lines and send them again.',
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

/** Lines end at line feeds alone: a string in JSON may hold U+2028, at which `node:readline` splits. Of any length. */
async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...more] = text.split("\n");
    pieces.push(first);
    for (const next of more) {
      yield pieces.join("");
      pieces = [next];
    }
  }
  const last = pieces.join("") + decoder.decode();
  if (last !== "") yield last;
}
