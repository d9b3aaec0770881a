import { expect, test } from "vitest";

test("toolchain: tests run on a Node that production supports", () => {
  expect(Number(process.versions.node.split(".")[0])).toBeGreaterThanOrEqual(22);
});
