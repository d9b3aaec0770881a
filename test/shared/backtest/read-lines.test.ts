import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineReader, readLines } from "../../../shared/backtest/index.ts";

/** Keeps all lines with their numbers. */
function keeper(): LineReader<readonly (readonly [number, string])[]> {
  const kept: (readonly [number, string])[] = [];
  return { line: ({ number, text }) => void kept.push([number, text]), end: () => kept };
}

test("lines are the same wherever the text is cut", async () => {
  const part = fc.string({ unit: fc.constantFrom("a", " ", "\r", "\n", "é"), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const text = parts.join("");
      const lines = text.split("\n").map((line, index) => [index + 1, line.trim()] as const);
      // What is behind the last line end is a line if there is anything.
      expect(await readLines(keeper(), parts)).toEqual(
        text === "" || text.endsWith("\n") ? lines.slice(0, -1) : lines,
      );
    }),
  );
});

/** The fewest milliseconds of three tries: others use this machine too. */
async function fewestMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 3; index += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

test("a file without line ends takes time in proportion", async () => {
  const parts = Array.from({ length: 2_048 }, () => "x".repeat(4_096));
  const joined = await fewestMs(async () => parts.join("").trim().length);
  const read = await fewestMs(async () => {
    const [line] = await readLines(keeper(), parts);
    expect(line?.[1]).toHaveLength(2_048 * 4_096);
  });
  // Copied with each of its parts, it took 1,000 times as long as to copy it once.
  expect(read).toBeLessThan(100 * Math.max(1, joined));
});
