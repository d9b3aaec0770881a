import { describe, expect, test } from "vitest";
import { Pace } from "../../functions/support/pace.ts";

describe("Pace", () => {
  test("a name has to wait for the rest of its time, others do not", () => {
    const pace = new Pace({ everySeconds: 10 });
    expect(pace.waitSeconds("a", 100)).toBe(0);
    expect(pace.waitSeconds("a", 104)).toBe(6);
    expect(pace.waitSeconds("b", 104)).toBe(0);
    expect(pace.waitSeconds("a", 110)).toBe(0);
    expect(pace.waitSeconds("a", 111)).toBe(9);
  });

  test("asking too early makes the wait no longer", () => {
    const pace = new Pace({ everySeconds: 10 });
    for (const now of [100, 105, 109]) pace.waitSeconds("a", now);
    expect(pace.waitSeconds("a", 110)).toBe(0);
  });

  test("a clock that was set back shuts nobody out", () => {
    const pace = new Pace({ everySeconds: 10 });
    pace.waitSeconds("a", 1_000_000);
    expect(pace.waitSeconds("a", 100)).toBe(0);
  });

  test("the first is forgotten when there are too many", () => {
    const pace = new Pace({ everySeconds: 10, mostNames: 2 });
    for (const name of ["a", "b", "c"]) pace.waitSeconds(name, 100);
    expect(pace.waitSeconds("b", 101)).toBe(9);
    expect(pace.waitSeconds("a", 101)).toBe(0);
  });
});
