import { describe, expect, test } from "vitest";
import { fromEntity, toEntity, toPointer } from "../../../shared/stores/azure/entity.ts";
import { checkVersion, recordVersion } from "../../../shared/stores/azure/record-version.ts";

const keys = { partition: "p", row: "r" };

describe("the version of a record", () => {
  test("a row has one; a row that only points to another has none, and neither a value", () => {
    const row = toEntity(keys, { a: 1 }, {});
    expect(row.recordVersion).toBe(recordVersion);
    expect(fromEntity(row)).toEqual({ a: 1 });
    expect(fromEntity(toPointer(keys, {}))).toBeUndefined();
  });

  test.each([recordVersion + 1, `${recordVersion + 1}`, "0", "x"])(
    "a record of version %j is refused with what to do",
    (version) => {
      expect(() => checkVersion(version, 'row "r"')).toThrow(/Cannot read row "r".*deploy the newer program/);
    },
  );

  test("a program of the next version takes records of this one and converts them", () => {
    interface Node {
      readonly idleSeconds: number;
    }
    /** How a reader looks whose version 2 renamed a field of version 1. */
    const read = (record: Readonly<Record<string, unknown>>, version: string): Node =>
      checkVersion(version, 'row "r"', 2) < 2
        ? { idleSeconds: Number(record.idle) }
        : (record as unknown as Node);
    expect(read({ idle: 5 }, "1")).toEqual({ idleSeconds: 5 });
    expect(read({ idleSeconds: 5 }, "2")).toEqual({ idleSeconds: 5 });
  });
});
