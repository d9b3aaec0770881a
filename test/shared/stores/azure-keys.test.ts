import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeName, reverseTime, sortableNumber, unescapeName } from "../../../shared/stores/azure/keys.ts";
import { oddNames } from "./contract/names.ts";

/** Any text, with what is forbidden in keys more often than chance would have it, and lone surrogates. */
const anyName = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("/", "\\", "#", "?", "%", "~", ".", "u", "0", "a", "\u0000", "\ud83d", "é"),
  }),
  fc.string({ unit: "grapheme", minLength: 100, maxLength: 300 }),
);

describe("escapeName", () => {
  test.each([
    ["hpc-01", "hpc-01"],
    ["my cluster", "my~20cluster"],
    ["a/b", "a~2fb"],
    ["a.b", "a.b"],
    [".", "~2e"],
    ["..", "~2e~2e"],
    ["~", "~7e"],
    ["100%", "100~25"],
    ["集", "~u96c6"],
    ["🚀", "~ud83d~ude80"],
    ["", "~"],
  ])("%j becomes %j, and back", (name, part) => {
    expect(escapeName(name)).toBe(part);
    expect(unescapeName(part)).toBe(name);
  });

  test("any name becomes a part that tables and blobs take: plain ASCII, not empty, at most 200 characters", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(escapeName(name)).toMatch(/^[A-Za-z0-9_~-]([A-Za-z0-9_.~-]{0,198}[A-Za-z0-9_~-])?$/);
      }),
    );
  });

  test("a part gives its name back, unless the name was too long for it", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const part = escapeName(name);
        expect(unescapeName(part)).toBe(part.includes("~~") ? undefined : name);
      }),
    );
  });

  test("two names never give the same part, nor do two prefixes of a long one", () => {
    fc.assert(
      fc.property(anyName, anyName, (a, b) => {
        expect(escapeName(a) === escapeName(b)).toBe(a === b);
      }),
    );
    const parts = Array.from({ length: 300 }, (_, length) => escapeName("é".repeat(length)));
    expect(new Set([...parts, ...oddNames.map(escapeName)]).size).toBe(300 + oddNames.length);
  });
});

describe("unescapeName", () => {
  test.each(["a b", "a~2Fb", "a~41", "~zz", "a~~b", ".", "a.", "é", "x".repeat(201)])(
    "%j is no part of a key",
    (part) => {
      expect(unescapeName(part)).toBeUndefined();
    },
  );
});

describe("reverseTime", () => {
  test("a later time gives a smaller text, to the microsecond", () => {
    const times = [0, 0.5, 1_770_000_000, 1_770_000_000.000_001, 1_770_000_000.25, 4_000_000_000];
    const texts = times.map(reverseTime);
    expect(texts).toEqual([...texts].sort().reverse());
    expect(new Set(texts.map((text) => text.length))).toEqual(new Set([16]));
  });

  test("times before 1970 and beyond what fits are held at the ends", () => {
    expect(reverseTime(-5)).toBe(reverseTime(0));
    expect(reverseTime(Number.POSITIVE_INFINITY)).toBe("0".repeat(16));
  });
});

test("sortableNumber: whole numbers sort as text as they do as numbers", () => {
  const numbers = [0, 9, 10, 1_000, Number.MAX_SAFE_INTEGER];
  expect([...numbers.map(sortableNumber)].sort().map(Number)).toEqual(numbers);
});
