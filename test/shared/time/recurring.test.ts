import { describe, expect, test } from "vitest";
import {
  momentAt,
  problemOf,
  type Recurrence,
  type Window,
  windowsAt,
} from "../../../shared/time/recurring.ts";

const office: Recurrence = {
  start: "0 8 * * mon-fri",
  end: { at: "0 18 * * *" },
  timeZone: "Europe/Berlin",
  except: ["2026-12-25"],
};

const daily = (start: string, end: string, timeZone = "Europe/Berlin"): Recurrence => ({
  start,
  end: { at: end },
  timeZone,
  except: [],
});

const moment = (seconds: number) => new Date(seconds * 1000).toISOString().replace(":00.000Z", "Z");
const shown = (window: Window | null) =>
  window && `${moment(window.startSeconds)} ${moment(window.endSeconds)}`;

function at(recurrence: Recurrence, when: string) {
  const { open, next } = windowsAt({ ...recurrence }, Date.parse(when) / 1000);
  return { open: shown(open), next: shown(next) };
}

describe("a window", () => {
  const thursday = "2026-11-26T07:00Z 2026-11-26T17:00Z";
  const friday = "2026-11-27T07:00Z 2026-11-27T17:00Z";
  test.each([
    ["a moment before", "2026-11-26T06:59:59.999Z", null, thursday],
    ["at its first moment", "2026-11-26T07:00:00Z", thursday, friday],
    ["at its last", "2026-11-26T16:59:59Z", thursday, friday],
    ["when it is over", "2026-11-26T17:00:00Z", null, friday],
    ["over a weekend", "2026-11-28T12:00:00Z", null, "2026-11-30T07:00Z 2026-11-30T17:00Z"],
    ["before a day that is left out", "2026-12-24T18:00:00Z", null, "2026-12-28T07:00Z 2026-12-28T17:00Z"],
    ["on a day that is left out", "2026-12-25T12:00:00Z", null, "2026-12-28T07:00Z 2026-12-28T17:00Z"],
  ])("%s", (_, when, open, next) => {
    expect(at(office, when)).toEqual({ open, next });
  });

  test.each([
    ["before its end", "2026-11-26T12:00Z", null, "2026-11-27T12:00Z 2026-11-27T17:00Z"],
    ["at its end", "2026-11-27T12:00Z", friday, "2026-11-30T07:00Z 2026-11-30T17:00Z"],
  ])("that is paused, %s", (_, when, open, next) => {
    const pausedUntilSeconds = momentAt("2026-11-27T13:00", office.timeZone);
    expect(at({ ...office, ...(pausedUntilSeconds !== undefined && { pausedUntilSeconds }) }, when)).toEqual({
      open,
      next,
    });
  });
});

describe("clocks that change", () => {
  test.each([
    [
      "a start in the hour that is left out comes with the next hour",
      daily("30 2 * * *", "0 6 * * *"),
      "2026-03-28T12:00Z",
      "2026-03-29T01:00Z 2026-03-29T04:00Z",
    ],
    [
      "a start in the hour that comes twice comes once",
      daily("30 2 * * *", "0 6 * * *"),
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z 2026-10-26T05:00Z",
    ],
    [
      "a night is an hour shorter in spring",
      daily("0 22 * * *", "0 6 * * *"),
      "2026-03-28T12:00Z",
      "2026-03-28T21:00Z 2026-03-29T04:00Z",
    ],
    [
      "and an hour longer in autumn",
      daily("0 22 * * *", "0 6 * * *"),
      "2026-10-24T12:00Z",
      "2026-10-24T20:00Z 2026-10-25T05:00Z",
    ],
    [
      "a duration is as long as ever",
      { ...daily("0 22 * * *", ""), end: { afterSeconds: 8 * 3_600 } },
      "2026-10-24T12:00Z",
      "2026-10-24T20:00Z 2026-10-25T04:00Z",
    ],
    [
      "half an hour, on Lord Howe Island",
      daily("0 1 * * *", "0 4 * * *", "Australia/Lord_Howe"),
      "2026-10-03T10:00Z",
      "2026-10-03T14:30Z 2026-10-03T17:00Z",
    ],
  ] as const)("%s", (_, recurrence, when, next) => {
    expect(at(recurrence, when).next).toBe(next);
  });
});

test("windows from midnight to midnight leave no gap, also when clocks change", () => {
  const always = daily("0 0 * * *", "0 0 * * *");
  for (const day of ["2026-03-28", "2026-10-24"])
    for (let minute = 0; minute < 3 * 1_440; minute += 15)
      expect(windowsAt({ ...always }, Date.parse(day) / 1000 + minute * 60).open).not.toBeNull();
});

test("one moment is a window that comes once", () => {
  const once = { ...office, start: "2026-12-01T08:00", end: { afterSeconds: 3_600 }, except: [] };
  const window = "2026-12-01T07:00Z 2026-12-01T08:00Z";
  expect(at(once, "2026-11-30T00:00Z")).toEqual({ open: null, next: window });
  expect(at(once, "2026-12-01T07:30Z")).toEqual({ open: window, next: null });
  expect(at(once, "2026-12-01T08:00Z")).toEqual({ open: null, next: null });
});

test("a start that is left out hides no earlier window that is still open", () => {
  const nights = { ...daily("0 20 * * *", ""), end: { afterSeconds: 36 * 3_600 }, except: ["2026-12-25"] };
  expect(at(nights, "2026-12-25T20:00Z").open).toBe("2026-12-24T19:00Z 2026-12-26T07:00Z");
});

test("asked at one moment after the other, the answers are those of each moment alone", () => {
  const kept = { ...office };
  const from = Date.parse("2026-11-25T00:00Z") / 1000;
  for (let hour = 0; hour < 24 * 14; hour += 1) {
    const seconds = from + hour * 3_600;
    expect(windowsAt(kept, seconds)).toEqual(windowsAt({ ...office }, seconds));
  }
  expect(windowsAt(kept, from)).toEqual(windowsAt({ ...office }, from));
});

test.each([
  ["an unknown time zone", { timeZone: "Europe/Berln" }, "timeZone", "IANA"],
  ["six fields", { start: "0 0 8 * * *" }, "start", "five fields"],
  ["an hour that is none", { start: "0 25 * * *" }, "start", "five fields"],
  ["a day that never comes", { start: "0 8 30 2 *" }, "start", "a moment that comes"],
  ["a month that is none", { start: "2026-13-01T08:00" }, "start", "five fields"],
  ["a moment with a zone of its own", { start: "2026-12-01T08:00+01:00" }, "start", "five fields"],
  ["words", { end: { at: "tomorrow" } }, "end", "five fields"],
  [
    "an end before the start",
    { start: "2026-12-01T08:00", end: { at: "2026-11-01T08:00" } },
    "end",
    "after the start",
  ],
] as const)("%s is refused", (_, keys, key, wanted) => {
  expect(problemOf({ ...office, ...keys })).toEqual({ key, message: expect.stringContaining(wanted) });
});

test.each([office, daily("0 8 * * TUE", "0 9 * * tue"), { ...office, start: "2026-12-01T08:00:30" }])(
  "%j is fine",
  (recurrence) => {
    expect(problemOf(recurrence)).toBeUndefined();
  },
);
