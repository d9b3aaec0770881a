import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countTasks, expandHostlist } from "../../../../clients/agent/drivers/slurm/hostlist.ts";

describe("hostlist", () => {
  test.each([
    ["nothing", "", []],
    ["one name", "htc-1", ["htc-1"]],
    ["a range", "htc-[1-3]", ["htc-1", "htc-2", "htc-3"]],
    ["ranges and names", "hpc-[1,4-5],login", ["hpc-1", "hpc-4", "hpc-5", "login"]],
    ["leading zeros", "n[008-010]", ["n008", "n009", "n010"]],
    ["a range of large numbers", "n[60000-60002]", ["n60000", "n60001", "n60002"]],
    ["two brackets", "r[1-2]-[1-2]", ["r1-1", "r1-2", "r2-1", "r2-2"]],
    ["a tail", "n[1-2].cluster", ["n1.cluster", "n2.cluster"]],
  ])("%s", (_, text, names) => {
    expect(expandHostlist(text)).toEqual(names);
  });

  test.each([
    "htc-[1-",
    "htc-1]",
    "htc-[]",
    "htc-[a-b]",
    "htc-[3-1]",
    "n[1-999999999]",
    "n[1-1000]-[1-1000]",
    "a b",
    "a b[1-2]",
    "a,,b",
    ",a",
    "a,",
    "n[1[2]",
    "[1]".repeat(9),
    Array.from({ length: 100 }, () => "n[1-99999]").join(","),
    `n[${Array.from({ length: 100 }, () => "1-99999").join(",")}]`,
  ])("%s is none", (text) => {
    expect(expandHostlist(text)).toBeUndefined();
  });

  test.each([
    ["n[1-100000]", "n[1-100001]"],
    ["n[1-50000,1-50000]", "n[1-50000,1-50001]"],
    ["n[1-50000],m[1-50000]", "n[1-50000],m[1-50001]"],
    ["n[1-2]-[1-50000]", "n[1-2]-[1-50001]"],
  ])("%s has the most names there may be, %s one or two more", (most, more) => {
    expect(expandHostlist(most)).toHaveLength(100_000);
    expect(expandHostlist(more)).toBeUndefined();
  });

  test("any text is expanded or refused, in no time worth speaking of", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("n", "[", "]", "1", "9", "-", ",") }),
    );
    fc.assert(
      fc.property(text, (each) => {
        expect(expandHostlist(each)?.length ?? 0).toBeLessThanOrEqual(100_000);
      }),
    );
  });
});

describe("tasks of an array", () => {
  test.each([
    ["1", 1],
    ["1-10000%50", 10_000],
    ["1,3,5", 3],
    ["1-9:2,20", 6],
    ["0", 1],
    ["1-399:2%4", 200],
    ["1,3,5,...", undefined],
    ["", undefined],
    ["9-1", undefined],
    ["1-5:0", undefined],
  ])("%j holds %j", (text, count) => {
    expect(countTasks(text)).toBe(count);
  });
});
