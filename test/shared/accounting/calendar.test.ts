import { expect, test } from "vitest";
import { monthOf, monthStart, periodEnd, periodStart } from "../../../shared/accounting/index.ts";

test.each([
  ["2027-01-31T23:59:59Z", "2027-01", "2027-01-01"],
  ["2027-02-01T00:00:00Z", "2027-02", "2027-02-01"],
])("the month of %s is %s", (moment, month, first) => {
  const atSeconds = Date.parse(moment) / 1_000;
  expect([monthOf(atSeconds), monthStart(atSeconds)]).toEqual([month, Date.parse(first) / 1_000]);
});

test.each([
  ["hour", "2026-12-30T23:00:00Z", undefined],
  ["day", "2026-12-30T00:00:00Z", "2026-12-31T00:00:00Z"],
  ["month", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
] as const)("the %s of a moment begins and ends in UTC", (period, start, end) => {
  const atSeconds = Date.parse("2026-12-30T23:59:59Z") / 1_000;
  expect(periodStart(period, atSeconds)).toBe(Date.parse(start) / 1_000);
  if (period !== "hour") expect(periodEnd(period, atSeconds)).toBe(Date.parse(end ?? "") / 1_000);
});
