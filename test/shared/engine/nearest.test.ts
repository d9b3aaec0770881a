import { expect, test } from "vitest";
import { nearest } from "../../../shared/engine/index.ts";

test.each([
  ["htcc", ["htc", "mpi"], "htc"],
  ["drian", ["drain", "undrain"], "drain"],
  ["acb", ["abc", "xyz"], "abc"],
  ["abcxyf", ["abcdef"], "abcdef"],
  ["abcxy", ["abcde"], null],
  ["wait", ["drain", "undrain"], null],
  ["ab", [], null],
])("%j among %j is %j", (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

test("two letters that changed places are one mistake, and of two that are as near the first is meant", () => {
  expect(nearest("nodearary", ["nodearray"])).toBe("nodearray");
  expect(nearest("htx", ["htc", "hta"])).toBe("htc");
});
