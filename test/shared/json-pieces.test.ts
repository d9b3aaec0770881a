import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonPieces } from "../../shared/json-pieces.ts";

describe("jsonPieces", () => {
  test("together they are the value's JSON text", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, depth) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect([...jsonPieces(json, depth)].join("")).toBe(JSON.stringify(json));
      }),
    );
  });

  test("what JSON leaves out is left out, and who writes itself does", () => {
    const value = {
      none: undefined,
      call: () => 1,
      list: [undefined, { toJSON: () => "own" }],
      at: { toJSON: () => 7 },
    };
    expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value));
  });

  test("a longer list becomes more pieces, not longer ones", () => {
    const longest = (length: number) => {
      const items = Array.from({ length }, () => "x".repeat(100));
      return Math.max(...[...jsonPieces({ items })].map((piece) => piece.length));
    };
    expect(longest(10_000)).toBeLessThan(longest(1_000) * 1.1);
  });
});
