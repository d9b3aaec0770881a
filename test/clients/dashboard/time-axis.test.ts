import { expect, test } from "vitest";
import { timeMark, timeSteps, timesBetween } from "../../../clients/dashboard/parts/time-axis.ts";

const hour = 3_600;
const day = 24 * hour;
/** Also over the nights in which clocks are changed. */
const days = ["2026-03-29", "2026-06-01", "2026-10-25", "2026-11-01"].map((date) => Date.parse(date) / 1_000);

test.each(timeSteps.filter((step) => step <= day))(
  "marks every %d s are at round times of the viewer's clock, in order, and inside",
  (step) => {
    for (const noon of days) {
      const [from, until] = [noon - 12 * hour, noon + 36 * hour];
      const times = timesBetween(from, until, step);
      for (const at of times) {
        const moment = new Date(at * 1_000);
        const ofDay = moment.getHours() * hour + moment.getMinutes() * 60 + moment.getSeconds();
        expect(ofDay % step).toBe(0);
      }
      expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
      expect(times[0] ?? 0).toBeGreaterThanOrEqual(from);
      expect(times.at(-1) ?? until + 1).toBeLessThanOrEqual(until);
      expect(times.length).toBeGreaterThanOrEqual(Math.floor((47 * hour) / step) - 1);
    }
  },
);

test("a midnight is shown as its date, other times as the time of day", () => {
  const midnight = new Date(2026, 10, 23).getTime() / 1_000;
  expect(timeMark(midnight, hour)).toMatch(/23/);
  expect(timeMark(midnight + 7 * hour, hour)).toMatch(/7/);
  expect(timeMark(midnight + 7 * hour, hour)).not.toMatch(/23/);
});
