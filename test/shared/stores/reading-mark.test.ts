import { describe, expect, test } from "vitest";
import { markAfter, unseenSince } from "../../../shared/stores/azure/history-table.ts";

const noon = "2026-11-22T12:00:00.000Z";
const noonPlus = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000);
/** As a store writes them, finer than a millisecond. */
const stamp = (seconds: number) => noonPlus(seconds).toISOString().replace("Z", "1234Z");

describe("where the next reading goes on", () => {
  test.each<[string, Parameters<typeof markAfter>[0], string | undefined]>([
    ["nothing was ever there", { mark: undefined, begunAt: noonPlus(9), writtenAt: [] }, undefined],
    [
      "when the reading began",
      { mark: noon, begunAt: noonPlus(60), writtenAt: [stamp(1)] },
      noonPlus(60).toISOString(),
    ],
    [
      "not behind what came while it read: of that, some may have come where it had been already",
      { mark: noon, begunAt: noonPlus(60), writtenAt: [stamp(70)] },
      noonPlus(60).toISOString(),
    ],
    ["nothing new", { mark: noon, begunAt: noonPlus(60), writtenAt: [] }, noonPlus(60).toISOString()],
    ["the clock went back", { mark: noon, begunAt: noonPlus(-5), writtenAt: [] }, noon],
    [
      "a store without a clock: the newest row",
      { mark: noon, begunAt: undefined, writtenAt: [stamp(3), stamp(8), stamp(5)] },
      noonPlus(8).toISOString(),
    ],
    ["a store without a clock, nothing new", { mark: noon, begunAt: undefined, writtenAt: [] }, noon],
    [
      "the first rows",
      { mark: undefined, begunAt: noonPlus(2), writtenAt: [stamp(1)] },
      noonPlus(2).toISOString(),
    ],
  ])("%s", (_, reading, mark) => {
    expect(markAfter(reading)).toBe(mark);
  });

  test("rows of shortly before a mark are read once more, older ones are not", () => {
    const unseen = unseenSince(noon);
    expect(unseen.getTime()).toBeLessThan(Date.parse(noon));
    expect(unseen.getTime()).toBeGreaterThan(noonPlus(-60).getTime());
  });
});
