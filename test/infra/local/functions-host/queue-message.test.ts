import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBody } from "../../../../infra/local/functions-host/queue-trigger.ts";

describe("queue message body", () => {
  test("any text survives base64", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeBody(Buffer.from(text, "utf8").toString("base64"), "base64")).toBe(text);
      }),
    );
  });

  test.each(['{"a":1}', "YWJ", "YW=j", "YWJj!"])("%j is not base64", (text) => {
    expect(decodeBody(text, "base64")).toBeUndefined();
  });

  test("encoding none leaves the text alone", () => {
    expect(decodeBody('{"a":1}', "none")).toBe('{"a":1}');
  });

  test("line breaks inside base64 are let pass", () => {
    expect(decodeBody("YW\nJj", "base64")).toBe("abc");
  });
});
