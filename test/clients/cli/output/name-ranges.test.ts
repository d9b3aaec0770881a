import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameRanges } from "../../../../clients/cli/output/name-ranges.ts";

const numbered = (words: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${words}${from + index}`);

describe("names of nodes in a sentence", () => {
  test.each<[string, readonly string[], string]>([
    ["none", [], ""],
    ["two that follow each other", ["htc-1", "htc-2"], "htc-1, htc-2"],
    ["many that do", numbered("htc-", 1, 1_200), "htc-1 to htc-1200"],
    ["a gap", ["htc-1", "htc-2", "htc-3", "htc-5"], "htc-1 to htc-3, htc-5"],
    [
      "two arrays",
      [...numbered("htc-", 8, 4), ...numbered("hpc-", 12, 3)],
      "htc-8 to htc-11, hpc-12 to hpc-14",
    ],
    ["digits with zeros before them", ["n-08", "n-09", "n-10", "n-11"], "n-08 to n-11"],
    ["another way to write the number", ["n-9", "n-010", "n-11"], "n-9, n-010, n-11"],
    ["names without a number", ["login", "viz"], "login, viz"],
    [
      "numbers beyond what a computer counts",
      ["n-9999999999999999", "n-10000000000000000"],
      "n-9999999999999999, n-10000000000000000",
    ],
  ])("%s", (_, names, expected) => {
    expect(nameRanges(names)).toBe(expected);
  });

  test("beyond twenty parts, only how many more", () => {
    const odd = Array.from({ length: 30 }, (_, index) => `htc-${2 * index + 1}`);
    expect(nameRanges([...odd, ...numbered("hpc-", 1, 100)])).toBe(
      `${odd.slice(0, 20).join(", ")} and 110 more`,
    );
  });

  test("property: up to twenty names, each can be read off", () => {
    const spelt = (text: string): readonly string[] =>
      text.split(", ").flatMap((part) => {
        const [from, to] = part.split(" to ");
        if (from === undefined || to === undefined) return [part];
        const [, words = "", first = ""] = /^(.*?)(\d+)$/.exec(from) ?? [];
        const [, , last = ""] = /^(.*?)(\d+)$/.exec(to) ?? [];
        return Array.from(
          { length: Number(last) - Number(first) + 1 },
          (_, index) => `${words}${String(Number(first) + index).padStart(first.length, "0")}`,
        );
      });
    const name = fc
      .tuple(fc.constantFrom("a", "b-"), fc.integer({ min: 1, max: 12 }))
      .map(([words, number]) => `${words}${number}`);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), (names) => {
        expect(spelt(nameRanges(names))).toEqual(names);
      }),
    );
  });
});
