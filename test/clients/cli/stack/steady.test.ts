import { expect, test } from "vitest";
import { steady } from "./steady.ts";

test("how long ago something was does not show how slow the machine is; hours do", () => {
  expect(steady("- 5m12s ago, x: visible; 4m ago; 3h10m ago")).toBe(
    "- 9s ago, x: visible; 9s ago; 3h10m ago",
  );
});
