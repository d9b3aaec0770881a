import { expect, test } from "vitest";
import { Memory } from "../../../shared/engine/ledger/effort.ts";

test("what a plan remembers is bounded: what was taken is gone", () => {
  const memory = new Memory();
  expect(memory.take(2_000_001)).toBe(false);
  expect(memory.take(1_500_000)).toBe(true);
  expect(memory.has(500_001)).toBe(false);
  expect(memory.take(500_001)).toBe(false);
  expect(memory.take(500_000)).toBe(true);
  expect(memory.take(1)).toBe(false);
});
