import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { convertible, jsonPieces, parseJson, withMemberToString } from "../../../shared/json/json.ts";
import { cases } from "../../support/cases.ts";

describe("an object whose toString is data", () => {
  test.each([
    ["in a length", '{"length": {"toString": 1, "valueOf": 1}}', { length: withMemberToString }],
    ["as the whole", '{"toString": null}', withMemberToString],
    ["in a list", '[1, {"toString": 1}]', [1, withMemberToString]],
    ["spelled by escapes", String.raw`{"a": {"to\u0053tring": 1}}`, { a: withMemberToString }],
    ["behind a member that is called like a prototype", '{"a": {"__proto__": {"toString": 1}}}', undefined],
  ])("%s is replaced by a text", (_, text, expected) => {
    const value = parseJson(text);
    if (expected !== undefined) expect(value).toEqual(expected);
    expect(JSON.stringify(value)).not.toContain('"toString":');
  });

  test("stays where it is a word, or a member of none", () => {
    const text = '{"a": "toString", "valueOf": 1, "length": 3}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test("at any depth", () => {
    const text = `${"[".repeat(100_000)}{"toString":1}${"]".repeat(100_000)}`;
    let inner = parseJson(text);
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe(withMemberToString);
  });
});

test("property: every value can be checked, compared and written as a text", () => {
  const key = fc.constantFrom("toString", "valueOf", "length", "size", "__proto__", "constructor", "a");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, null, "x", true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((members) => ({ members })),
    ),
  }));
  const schema = z.union([
    z.string().min(1).max(3),
    z.array(z.string()).min(1),
    z.record(z.string(), z.string().max(2)),
  ]);
  fc.assert(
    fc.property(value, (made) => {
      const text = textOf(made);
      const read = parseJson(text);
      expect(() => schema.safeParse(read)).not.toThrow();
      expect(() => everyPart(read).map(String)).not.toThrow();
      expect(() => everyPart(convertible(JSON.parse(text))).map(String)).not.toThrow();
    }),
    cases(1_000),
  );
});

test.each([
  ["a word that is not closed", '{"password": "geheim'],
  ["a word without quotes", '{"password": geheim}'],
  ["one word", "geheim"],
  ["a line of its own", '{\n  "password": "geheim"\n  "a": 1}'],
])("what is no JSON is not quoted: %s", (_, text) => {
  expect(() => parseJson(text)).toThrow(/^it is not JSON/);
  expect(() => parseJson(text)).not.toThrow(/geheim/);
});

test("the place is told where it is known", () => {
  expect(() => parseJson('{"a": 1,\n "b" 2}')).toThrow(/at position \d+ \(line 2 column \d+\)$/);
});

/** As a sender may write it: members of any name, `__proto__` too. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const { members } = value as { members: readonly (readonly [string, unknown])[] };
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}

function everyPart(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return [value, ...Object.values(value).flatMap(everyPart)];
}

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
