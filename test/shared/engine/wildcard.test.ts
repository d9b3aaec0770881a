import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesWildcard } from "../../../shared/engine/values/wildcard.ts";

describe("matchesWildcard", () => {
  test.each([
    ["*", "", true],
    ["Standard_F*", "Standard_F16s_v2", true],
    ["Standard_F*s_v2", "Standard_F16s_v2", true],
    ["Standard_F*s_v3", "Standard_F16s_v2", false],
    ["h?c", "hpc", true],
    ["h?c", "hc", false],
    ["[ab]c", "bc", true],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[]]", "]", true],
    ["[", "[", true],
    ["a**b", "ab", true],
    ["*a*b*", "xxaxxbxx", true],
    ["A", "a", false],
  ])("%s against %s is %s", (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected);
  });

  test("agrees with regular expressions on stars and question marks", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, text) => {
        const regex = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        expect(matchesWildcard(pattern, text)).toBe(regex.test(text));
      }),
    );
  });
});
