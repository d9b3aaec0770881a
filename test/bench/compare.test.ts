import { expect, test } from "vitest";
import { compareRuns } from "./compare.ts";

test("figures that changed stand beside those of an earlier run, line by line", () => {
  const before = "spread   1,000 jobs: plan 10.0 ms, peak 90 MB\nsame 5 ms\nonly before 3 ms\n";
  const now = "spread 1,000 jobs: plan 15.5 ms, peak 91 MB\nsame 5 ms\nonly now 4 ms\n";
  expect(compareRuns(before, now, 10)).toEqual([
    "spread 1,000 jobs: plan 15.5 ms, peak 91 MB\n    10 → 15.5 (+55 %)",
  ]);
});

test("lines with the same words are told apart by their order, and a figure from zero grows without bound", () => {
  expect(compareRuns("read 1 ms\nread 0 ms", "read 2 ms\nread 3 ms", 10)).toEqual([
    "read 2 ms\n    1 → 2 (+100 %)",
    "read 3 ms\n    0 → 3 (+Infinity %)",
  ]);
});
