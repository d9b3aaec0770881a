import { expect, test } from "vitest";
import {
  accountFor,
  monthForecast,
  nothing,
  openBook,
  type Sight,
} from "../../../shared/accounting/index.ts";

const secondsOf = (moment: string) => Date.parse(moment) / 1_000;

/** Days in a row that cost so much. Monday, 2 November 2026, is the first. */
const days = (...costs: readonly number[]) =>
  costs.map((nanoUsd, index) => ({
    fromSeconds: secondsOf("2026-11-02T00:00:00Z") + index * 86_400,
    nanoUsd,
    nodeArrays: [],
  }));

test.each([
  ["before a whole day was seen, the present rate goes on", "2026-11-30T21:00:00Z", days(), 100 + 3 * 7],
  // The half of today, Monday, and the 21 days after it: fifteen of them were busy a week before.
  [
    "each day to come costs what the last one of its name did",
    "2026-11-09T12:00:00Z",
    days(10, 10, 10, 10, 10, 0, 0),
    100 + 15.5 * 10,
  ],
  // Four Mondays, three Tuesdays, and twenty days of another name.
  [
    "a day of another name costs the mean of those that were seen",
    "2026-11-04T00:00:00Z",
    days(10, 20),
    100 + 4 * 10 + 3 * 20 + 20 * 15,
  ],
])("%s", (_, moment, lastDays, nanoUsd) => {
  const spent = { month: { ...nothing, nanoUsd: 100 }, hourly: { ...nothing, nanoUsd: 7 } };
  const forecast = monthForecast({ asOfSeconds: secondsOf(moment), lastDays }, spent, (day) => day.nanoUsd);
  expect(forecast).toBe(nanoUsd);
});

test("the days that it is made from are the last seven whole ones", () => {
  const node = { nodeId: "a", nodeArray: "htc", vmSize: "F2s", spot: false, use: "idle", jobs: [] } as const;
  const sightAt = (takenAtSeconds: number, usdPerHour: number): Sight => ({
    takenAtSeconds,
    jobs: [],
    nodes: [{ ...node, usdPerHour }],
  });
  const noon = secondsOf("2026-11-02T12:00:00Z");
  let book = openBook(sightAt(noon, 1));
  // Each day has a price of its own, and the first one is not whole.
  for (let day = 1; day <= 10; day += 1) book = accountFor(book, sightAt(noon + day * 86_400, day));
  const ofHtc = (day: number) => ({
    fromSeconds: secondsOf("2026-11-02T00:00:00Z") + day * 86_400,
    nanoUsd: day * 24e9,
    nodeArrays: [{ name: "htc", nanoUsd: day * 24e9 }],
  });
  expect(book.lastDays).toEqual([3, 4, 5, 6, 7, 8, 9].map(ofHtc));
});
