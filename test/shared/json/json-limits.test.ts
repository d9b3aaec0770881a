import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excessOfJson, jsonLimitsFor, smallestLimits } from "../../../shared/json/json-limits.ts";

const mebibyte = 1024 * 1024;

function excess(text: string, limits: Partial<typeof smallestLimits> = {}): string | undefined {
  return excessOfJson(Buffer.from(text), { ...smallestLimits, ...limits });
}

/** What the scan counts: a value for the whole, each bracket and each comma. */
function counted(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce<number>((sum, each) => sum + counted(each), 0);
}

describe("excessOfJson", () => {
  test("counts values as they are in the text, whatever strings hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const values = 1 + counted(value);
        const text = JSON.stringify(value);
        expect(excess(text, { values })).toBeUndefined();
        expect(excess(text, { values: values - 1 })).toContain(`more than ${values - 1} values`);
      }),
    );
  });

  test("strings with brackets, quotes and backslashes are strings", () => {
    const text = JSON.stringify({ [`]}"\\\\"${"[".repeat(100)}`]: `\\"${"{,".repeat(100)}` });
    expect(excess(text, { values: 2, items: 1, depth: 1 })).toBeUndefined();
  });

  test.each([
    [
      "objects without end",
      `{"jobs":[${"{},".repeat(600_000)}{}]}`,
      /more than 200000 items: send less at once/,
    ],
    ["lists in objects", `{"jobs":[${'{"a":[[]]},'.repeat(199_000)}{}]}`, undefined],
    [
      "objects in lists",
      `[${`[${"0,".repeat(150_000)}0],`.repeat(6)}0]`,
      /more than 838860 values, the most that 512 MiB/,
    ],
    ["levels", "[".repeat(50_001), /nested more than 50000 levels/],
    ["closing brackets", "]".repeat(1_000_000), undefined],
    ["an open string", `"${"\\".repeat(1_000_001)}`, undefined],
  ])("%s", (_, text, words) => {
    if (words === undefined) expect(excess(text)).toBeUndefined();
    else expect(excess(text)).toMatch(words);
  });

  test("bytes are looked at first", () => {
    expect(excess("[[[[", { bytes: 3, depth: 1 })).toMatch(/^4 bytes, expected at most 3: send less/);
  });

  test.each([
    [128, 8, 209_715],
    [512, 32, 838_860],
    [2_048, 32, 3_355_443],
    [65_536, 32, 4_000_000],
  ])("%i MiB of memory read %i MiB and %i values", (memoryMiB, mebibytes, values) => {
    expect(jsonLimitsFor(memoryMiB * mebibyte)).toMatchObject({
      bytes: mebibytes * mebibyte,
      values,
      memoryMiB,
    });
  });
});
