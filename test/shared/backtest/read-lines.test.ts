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

/** Milliseconds for a text without line ends in so many parts. */
async function tookOf(count: number): Promise<number> {
  const part = "x".repeat(4_096);
  const parts = Array.from({ length: count }, () => part);
  const start = performance.now();
  const [line] = await readLines(keeper(), parts);
  expect(line?.[1]).toHaveLength(count * part.length);
  return performance.now() - start;
}

test("a file without line ends takes time in proportion", async () => {
  await tookOf(256);
  // A hundredth of a millisecond is too little to compare with.
  const short = Math.max(1, await tookOf(256));
  // Copied with each of its parts, it took 1,000 times as long.
  expect((await tookOf(8_192)) / short).toBeLessThan(32 * 8);
});
