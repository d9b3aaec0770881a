import { expect, test } from "vitest";
import { Effort, Memory } from "../../../shared/engine/ledger/effort.ts";

test("what a plan remembers is bounded: what was taken is gone", () => {
  const memory = new Memory();
  expect(memory.take(2_000_001)).toBe(false);
  expect(memory.take(1_500_000)).toBe(true);
  expect(memory.has(500_001)).toBe(false);
  expect(memory.take(500_001)).toBe(false);
  expect(memory.take(500_000)).toBe(true);
  expect(memory.take(1)).toBe(false);
});

test.each([
  ["three sources share ten checks", 10, ["a", "b", "c"], 3],
  ["more sources than checks have one each", 2, ["a", "b", "c"], 1],
  ["one source has them all", 10, ["a"], 10],
])("%s", (_, mostChecks, sources, left) => {
  const effort = new Effort(mostChecks, new Set(sources));
  for (const source of sources) expect(effort.of(source)).toMatchObject({ left, hit: { limit: left } });
});
