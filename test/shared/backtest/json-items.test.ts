import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonItems } from "../../../shared/backtest/index.ts";
import { cases } from "../../support/cases.ts";

function itemsOf(parts: readonly string[]): readonly unknown[] {
  const reader = new JsonItems(JSON.parse);
  const items = parts.flatMap((part) => [...reader.add(part)]);
  reader.end();
  return items;
}

describe("JsonItems", () => {
  const lists = fc.array(fc.jsonValue(), { maxLength: 6 });
  const layouts = fc.constantFrom(undefined, 1, "\t");

  test("reads every list as it is parsed whole, wherever its text is cut", () => {
    fc.assert(
      fc.property(lists, layouts, fc.array(fc.nat(400), { maxLength: 8 }), (list, layout, cuts) => {
        const text = ` ${JSON.stringify(list, undefined, layout)}\n`;
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted(
          (a, b) => a - b,
        );
        const parts = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(itemsOf(parts)).toEqual(JSON.parse(text));
      }),
      cases(300),
    );
  });

  test.each([
    ["an object", '{"jobs": []}', "it is no list"],
    ["a list that was cut off", '[{"name": "a"}, {"name"', "the list does not end, at item [1]"],
    ["nothing", "", "the list does not end, at item [0]"],
    ["a comma too many", "[1, 2, ]", "it is not JSON, at item [2]"],
    ["only a comma", "[,]", "it is not JSON, at item [0]"],
    ["brackets that do not match", '[{"a": 1]}, 2]', "it is not JSON, at item [0]"],
    ["a brace that nothing opened", "[1}, 2]", "it is not JSON, at item [0]"],
    ["something behind the end", "[1] [2]", "there is more behind the end of the list"],
    [
      "an item without an end",
      `["${"x".repeat(10_000_001)}`,
      "more than 10000000 characters in one item, at item [0]",
    ],
  ])("%s is refused with its place", (_, text, message) => {
    expect(() => itemsOf([text])).toThrow(new SyntaxError(message));
  });
});
