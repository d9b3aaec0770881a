import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { matchesWildcard } from "../../../shared/engine/values/wildcard.ts";
import { cluster, input, job, node, nodesOf } from "./tiny.ts";

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

test.each([
  [["htc-[13]"], ["htc-1", "htc-3"]],
  [
    ["htc-2", "htc-[13]"],
    ["htc-1", "htc-2", "htc-3"],
  ],
  [["htc-3"], ["htc-3"]],
])("a job that names its nodes by %j goes to %j", (names, expected) => {
  const nodes = ["htc-1", "htc-2", "htc-3"].map((name) => node(name));
  const jobs = [job("j", { ncpus: 1, "node.name": names }, { iterations: 20 })];
  expect(nodesOf(plan(input({ cluster: cluster({ nodes }), jobs })), "j")).toEqual(expected);
});
