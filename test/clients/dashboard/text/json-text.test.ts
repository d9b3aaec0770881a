import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compact, lineOf, linesIn, pretty } from "../../../../clients/dashboard/text/json-text.ts";

describe("pretty", () => {
  test("it lays JSON out as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const [narrow, wide] = [JSON.stringify(value), JSON.stringify(value, null, 2)];
        expect(pretty(narrow)).toBe(wide);
        expect(pretty(wide)).toBe(wide);
        expect(compact(wide)).toBe(narrow);
      }),
    );
  });

  test("numbers and texts stay as they are written, keys that come twice too", () => {
    expect(pretty('{"a":12345678901234567890,"a":1.0,"b":"\\u0041 , {"}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "a": 1.0,\n  "b": "\\u0041 , {"\n}',
    );
  });

  test.each(["{ no json", "", "[1,", '"'])("what is no JSON stays as it is: %s", (text) => {
    expect(pretty(text)).toBe(text);
    expect(compact(text)).toBe(text);
  });

  test("what is nested so deeply that it would be indentation alone stays as it is", () => {
    const text = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    expect(pretty(text)).toBe(text);
    expect(linesIn(text).size).toBeLessThan(100);
  });
});

describe("lines of problems", () => {
  const text = pretty(
    JSON.stringify({ jobs: [{ name: "1" }, { name: "2", constraints: [{ ncpus: -1 }] }], "a.b": { c: 1 } }),
  );
  const lineWith = (words: string) => text.split("\n").findIndex((line) => line.includes(words)) + 1;

  test.each([
    ["jobs[1].constraints[0].ncpus: -1, too small", '"ncpus": -1'],
    ['jobs[1].name: "2", expected another', '"name": "2"'],
    ["jobs: expected fewer", '"jobs"'],
    // Missing: what should hold it.
    ["jobs[1].iterations: expected a number", '"name": "2"', -1],
    ["a.b.c: 1, expected none", '"c": 1'],
  ])("%s", (problem, words, away = 0) => {
    expect(lineOf(problem, linesIn(text))).toBe(lineWith(words) + away);
  });

  test.each(["version: missing", "message: expected an object", "nothing at all", ""])(
    "no line is known: %s",
    (problem) => {
      expect(lineOf(problem, linesIn(text))).toBeUndefined();
    },
  );

  test("a line that the problem names itself", () => {
    expect(lineOf("it is not JSON at position 12 (line 3 column 4)", new Map())).toBe(3);
  });

  test("any text has an end, and its lines are counted", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n1a') }), (any) => {
        const most = any.split("\n").length;
        for (const line of linesIn(any).values()) expect(line).toBeLessThanOrEqual(most);
      }),
    );
    const quotes = '"\\'.repeat(200_000);
    expect(linesIn(quotes).size).toBeLessThanOrEqual(2);
  });
});
