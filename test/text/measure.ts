import { createInterface } from "node:readline";
import { growthOf, growthOfExpression } from "./growth.ts";
import { signs } from "./hostile.ts";
import { pieces, readers } from "./readers.ts";

interface Question {
  readonly reader?: string;
  readonly source: string;
  readonly flags: string;
}

// A process of its own: one that never ends can be ended from outside, and only its own time counts.
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question;
  process.stdout.write(`${JSON.stringify({ slow: answer(question) ?? null })}\n`);
}

function answer({ reader, source, flags }: Question): string | undefined {
  const read = reader === undefined ? undefined : readers[reader];
  try {
    return read === undefined ? growthOfExpression(source, flags) : growthOf(read, [...signs, ...pieces]);
  } catch (error) {
    return String(error);
  }
}
