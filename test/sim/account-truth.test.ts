import { expect, test } from "vitest";
import { compareWithTruth, type NodeSeconds } from "./account-truth.ts";

/** Of all node-seconds. */
const tolerated = 0.005;

test("accounts with a snapshot each minute are the cloud's own timetable within 0.5 percent", async () => {
  const { truth, counted } = await compareWithTruth({ seed: 1, hours: 1, jobs: 125 });
  const all = sum(truth);
  const wrong = Object.entries(truth)
    .map(([purpose, seconds]) => ({
      purpose,
      off: (counted[purpose as keyof NodeSeconds] - seconds) / all,
    }))
    .filter(({ off }) => Math.abs(off) > tolerated);
  expect(wrong).toEqual([]);
  expect(Math.abs(sum(counted) / all - 1)).toBeLessThan(tolerated);
  expect(Math.abs(counted.job / truth.job - 1)).toBeLessThan(tolerated);
});

function sum(seconds: NodeSeconds): number {
  return Object.values(seconds).reduce((total, each) => total + each, 0);
}
