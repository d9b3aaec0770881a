import { expect, test } from "vitest";
import { counted, percent, sentence, usd } from "../../../clients/dashboard/words.ts";

test.each([
  [0, "0 %"],
  [0.0002, "< 1 %"],
  [0.01, "1 %"],
  [0.334, "33 %"],
  [0.9961, "> 99 %"],
  [1, "100 %"],
  [1.2, "120 %"],
])("a share of %d is %s: what is something is not nothing, and what is not all is not all", (share, text) => {
  expect(percent(share)).toBe(text);
});

test("what is not known is no zero, and one is no plural", () => {
  expect([usd(null), usd(undefined), usd(0)]).toEqual(["–", "–", "$0.00"]);
  expect([counted(0, "node"), counted(1, "node"), counted(1_200, "node")]).toEqual([
    "0 nodes",
    "1 node",
    "1,200 nodes",
  ]);
});

test("words of the service become a sentence, once", () => {
  expect([sentence("paused by ann"), sentence("Done.")]).toEqual(["Paused by ann.", "Done."]);
});
