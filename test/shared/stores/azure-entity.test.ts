import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvariantError } from "../../../shared/errors/errors.ts";
import { fromEntity, toEntity } from "../../../shared/stores/azure/entity.ts";

const keys = { partition: "p", row: "r" };

describe("toEntity and fromEntity", () => {
  test("any JSON comes back as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(fromEntity(toEntity(keys, value, {})))).toBe(text);
      }),
    );
  });

  test("a long value is split, each property within 32 Ki characters and none with half a pair", () => {
    for (const shift of ["", "x"]) {
      const value = shift + "🚀".repeat(50_000);
      const entity = toEntity(keys, value, { note: "n" });
      const pieces = Object.entries(entity).filter(([name]) => name.startsWith("payload"));
      expect(pieces).toHaveLength(4);
      for (const [, piece] of pieces) {
        expect(String(piece).length).toBeLessThanOrEqual(32 * 1024);
        expect(String(piece).isWellFormed()).toBe(true);
      }
      expect(fromEntity(entity)).toBe(value);
    }
  });

  test("a value beyond the limit of an entity is refused, with both figures", () => {
    expect(() => toEntity(keys, "x".repeat(600_000), {})).toThrow(InvariantError);
    expect(() => toEntity(keys, "x".repeat(600_000), {})).toThrow(
      'Cannot store row "r": 600002 characters of JSON, expected at most 491520',
    );
  });

  test("an entity without a payload has no value", () => {
    expect(fromEntity({ partitionKey: "p", rowKey: "r", other: "x" })).toBeUndefined();
  });
});
