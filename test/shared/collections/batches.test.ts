import { expect, test } from "vitest";
import { chunksOf } from "../../../shared/collections/batches.ts";

test.each([
  [0, []],
  [1, [1]],
  [3, [3]],
  [4, [3, 1]],
  [7, [3, 3, 1]],
])("a list of %i in parts of 3: parts of %j", (count, sizes) => {
  const items = Array.from({ length: count }, (_, index) => index);
  const parts = chunksOf(items, 3);
  expect(parts.map((part) => part.length)).toEqual(sizes);
  expect(parts.flat()).toEqual(items);
});
