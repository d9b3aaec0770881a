import { expect, test } from "vitest";
import { leftAfter } from "../../../shared/engine/values/amounts.ts";

test.each([
  [1, 0.5, 0.5],
  [2, 3, -1],
  [0.3, 0.1 + 0.2, 0],
  [0.1 + 0.2, 0.3, 0.1 + 0.2 - 0.3],
])("of %d, %d taken leaves %d: a remainder that rounding makes negative is none", (left, amount, rest) => {
  expect(leftAfter(left, amount)).toBe(rest);
});
