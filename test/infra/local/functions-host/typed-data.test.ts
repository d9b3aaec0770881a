import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bodyBytes,
  fromTypedData,
  toMetadata,
  toTypedData,
} from "../../../../infra/local/functions-host/typed-data.ts";

const bytes = new Uint8Array([1, 2]);

describe("typed data", () => {
  test.each([
    ["text", "123", { string: "123" }],
    ["empty text", "", { string: "" }],
    ["bytes", bytes, { bytes }],
    ["a fraction", 1.5, { double: 1.5 }],
    ["a whole number", 15, { json: "15" }],
    ["a large whole number", 9_007_199_254_740_991n, { json: "9007199254740991" }],
    ["a boolean", true, { json: "true" }],
    ["a date", new Date(0), { json: '"1970-01-01T00:00:00.000Z"' }],
    ["a list", [1, "a"], { json: '[1,"a"]' }],
    ["an object", { a: null }, { json: '{"a":null}' }],
    ["null", null, undefined],
    ["nothing", undefined, undefined],
  ])("%s is encoded as Azure's host does", (_name, value, expected) => {
    expect(toTypedData(value)).toEqual(expected);
  });

  test("metadata without a value is left out", () => {
    expect(toMetadata({ Id: "m-1", To: undefined, Label: null, Count: 2 })).toEqual({
      Id: { string: "m-1" },
      Count: { json: "2" },
    });
  });

  test.each([
    ["text", { string: "7" }, "7"],
    ["JSON", { json: '{"a":1}' }, { a: 1 }],
    ["an int", { int: 0 }, 0],
    ["a double", { double: 0.5 }, 0.5],
    ["bytes", { bytes }, bytes],
    ["null", null, undefined],
  ])("%s is decoded", (_name, data, expected) => {
    expect(fromTypedData(data)).toEqual(expected);
  });

  test("every JSON value comes back as it went", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "small" }), (value) => {
        const decoded = fromTypedData(toTypedData(value)) ?? null;
        expect(JSON.stringify(decoded)).toBe(JSON.stringify(value));
      }),
    );
  });

  test("a body of any kind becomes bytes", () => {
    const texts = [{ string: "ä" }, { json: "{}" }, { int: 5 }, null].map((data) =>
      Buffer.from(bodyBytes(data)).toString("utf8"),
    );
    expect(texts).toEqual(["ä", "{}", "5", ""]);
  });
});
