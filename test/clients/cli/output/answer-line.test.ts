import { expect, test } from "vitest";
import { answerLine, waitsOf } from "../../../../clients/cli/output/answer-line.ts";

const hb = {
  nodeArray: "hpc",
  vmSize: "Standard_HB120rs_v3",
  count: 13,
  usdPerHour: 3.6,
  readyInSeconds: 250,
};
const htc = { ...hb, nodeArray: "htc", vmSize: "Standard_F4s_v2", count: 2, readyInSeconds: 70 };
const waits = waitsOf(0);

test.each([
  [[hb], "+13 Standard_HB120rs_v3 in hpc, +46.80 USD/h, ready in about 4m; 0 jobs wait"],
  [
    [htc, hb],
    "+2 Standard_F4s_v2 in htc and +13 Standard_HB120rs_v3 in hpc, +54.00 USD/h, ready in about 4m; 0 jobs wait",
  ],
  [[htc], "+2 Standard_F4s_v2 in htc, +7.20 USD/h, ready in about 1m10s; 0 jobs wait"],
  [[{ ...htc, readyInSeconds: null }, hb, htc, hb], "+30 nodes of 4 kinds, +108.00 USD/h; 0 jobs wait"],
  [
    [{ ...htc, usdPerHour: null }, hb],
    "+2 Standard_F4s_v2 in htc and +13 Standard_HB120rs_v3 in hpc, +46.80 USD/h and 2 nodes without a price, ready in about 4m; 0 jobs wait",
  ],
  [
    [{ ...hb, usdPerHour: null, readyInSeconds: null }],
    "+13 Standard_HB120rs_v3 in hpc, price not known; 0 jobs wait",
  ],
  [[], "No new nodes; 0 jobs wait"],
])("%#", (additions, line) => expect(answerLine(additions, { waits })).toBe(line));

test("who waits, and how many nodes go", () => {
  expect(answerLine([], { gone: 1, waits: waitsOf(1) })).toBe("No new nodes; 1 node deleted; 1 job waits");
  expect(answerLine([], { waits: waitsOf(2, "extra jobs") })).toBe("No new nodes; 2 extra jobs wait");
});
