import { expect, test } from "vitest";
import {
  amountOf,
  countIn,
  matches,
  rangesOf,
} from "../../../../clients/agent/drivers/gridengine/amounts.ts";

test.each([
  ["16", 16],
  [" 1.5 ", 1.5],
  ["-2", -2],
  ["2k", 2_000],
  ["2K", 2_048],
  ["3m", 3e6],
  ["1M", 2 ** 20],
  ["1g", 1e9],
  ["2G", 2 ** 31],
  ["1t", 1e12],
  ["1T", 2 ** 40],
  ["TRUE", 1],
  ["false", 0],
  ["INFINITY", Number.POSITIVE_INFINITY],
  ["1:30:00", 5_400],
  ["1:00:00:01", 86_401],
  [":10", 10],
  ["1:2:3:4:5", undefined],
  ["lx-amd64", undefined],
])("%j is an amount of %d", (text, amount) => {
  expect(amountOf(text)).toBe(amount);
});

test.each([
  ["all.q", "ALL.Q", true],
  ["*.q", "all.q", true],
  ["a*l?q", "all.q", true],
  ["a*l?q", "all.qq", false],
  ["*a*b", "aab", true],
  ["node[1-3]", "node3", true],
  ["node[1-3]", "node4", false],
  ["node[!13]", "node2", true],
  ["node[^13]", "node3", false],
  ["a|b", "b", true],
  ["n*&!*3", "n2", true],
  ["n*&!*3", "n3", false],
])("%s for %s: %s", (pattern, value, isMatch) => {
  expect(matches(pattern, value)).toBe(isMatch);
});

test.each([
  ["2-12", [{ least: 2, most: 12, step: 1 }], 11],
  ["4-", [{ least: 4, most: 9_999_999, step: 1 }], 9_999_996],
  ["-8", [{ least: 1, most: 8, step: 1 }], 8],
  ["16", [{ least: 16, most: 16, step: 1 }], 1],
  [
    "3,7-11:2",
    [
      { least: 3, most: 3, step: 1 },
      { least: 7, most: 11, step: 2 },
    ],
    4,
  ],
])("%s are the ranges %j, of %i", (text, ranges, count) => {
  expect(rangesOf(text)).toEqual(ranges);
  expect(countIn(rangesOf(text) ?? [])).toBe(count);
});

test.each(["", "a", "5-3", "1,,2"])("%j is no list of ranges", (text) => {
  expect(rangesOf(text)).toBeUndefined();
});
