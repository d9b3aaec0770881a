import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesOf, merged } from "../../../../clients/dashboard/text/config-changes.ts";
import { diffOf, inOrder } from "../../../../clients/dashboard/text/diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((all) => all.join("\n"));

describe("lines that differ", () => {
  test("without what came they are the text before, without what went the one after", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffOf(before, after);
        const without = (sign: string) =>
          diff
            .filter((line) => line.sign !== sign)
            .map(({ text }) => text)
            .join("\n");
        expect(without("+")).toBe(before);
        expect(without("-")).toBe(after);
      }),
    );
  });

  test("as few as can be", () => {
    const signs = diffOf("a\nb\nc\nd\ne", "a\nc\nd\nx\ne").map(({ sign }) => sign);
    expect(signs.join("")).toBe(" -  + ");
  });

  test("long texts that have nothing in common are two texts", () => {
    const of = (name: string) => Array.from({ length: 3_000 }, (_, index) => `${name} ${index}`).join("\n");
    const diff = diffOf(of("a"), of("b"));
    expect(diff.length).toBe(6_000);
    expect(diff[2_999]?.sign).toBe("-");
    expect(diff[3_000]?.sign).toBe("+");
  });

  test("the order of keys is no difference, that of a list is one", () => {
    expect(inOrder({ b: 1, a: [{ d: 1, c: 2 }] })).toBe(inOrder({ a: [{ c: 2, d: 1 }], b: 1 }));
    expect(inOrder([1, 2])).not.toBe(inOrder([2, 1]));
  });
});

describe("changes of a configuration", () => {
  test("each value by its keys, a list as one", () => {
    expect(
      changesOf({ a: { b: 1, c: 2 }, l: [1], gone: true }, { a: { b: 1, c: 3 }, l: [2], new: "x" }),
    ).toEqual([
      { keys: ["a", "c"], value: 3 },
      { keys: ["l"], value: [2] },
      { keys: ["gone"], value: undefined },
      { keys: ["new"], value: "x" },
    ]);
  });

  test("changes of different values are put together", () => {
    const conflicts: string[] = [];
    const base = { a: { b: 1, c: 2 }, gone: true, l: [1] };
    const mine = { a: { b: 9, c: 2 }, l: [1], added: 1 };
    const theirs = { a: { b: 1, c: 2, d: 4 }, gone: true, l: [1, 2] };
    expect(merged(base, { mine, theirs }, conflicts)).toEqual({
      a: { b: 9, c: 2, d: 4 },
      l: [1, 2],
      added: 1,
    });
    expect(conflicts).toEqual([]);
  });

  test("where both changed a value, mine stays and is named", () => {
    const conflicts: string[] = [];
    const both = { mine: { a: { b: 2 } }, theirs: { a: { b: 3 } } };
    expect(merged({ a: { b: 1 } }, both, conflicts)).toEqual({ a: { b: 2 } });
    expect(conflicts).toEqual(["a.b"]);
    const removed: string[] = [];
    expect(merged({ a: 1 }, { mine: {}, theirs: { a: 2 } }, removed)).toEqual({});
    expect(removed).toEqual(["a"]);
  });

  test("keys that objects have by nature are keys like others", () => {
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect(changesOf({}, odd).map(({ keys }) => keys[0])).toEqual(["__proto__", "constructor"]);
    const put = merged({}, { mine: odd, theirs: { a: 1 } }, []);
    expect(JSON.parse(JSON.stringify(put))).toEqual(JSON.parse('{"a": 1, "__proto__": 1, "constructor": 2}'));
  });

  test("one who changed nothing changes nothing of the other's", () => {
    const value = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(value, value, (base, other) => {
        expect(merged(base, { mine: base, theirs: other }, [])).toEqual(other);
        expect(merged(base, { mine: other, theirs: base }, [])).toEqual(other);
        expect(changesOf(base, base)).toEqual([]);
      }),
    );
  });
});
