import { expect, test } from "vitest";
import { localMoment, moment } from "../../../../clients/cli/output/moments.ts";

const atSeconds = Date.parse("2026-11-23T04:10:00Z") / 1000;

test.each([
  [60, "2026-11-23T05:10:00+01:00"],
  [0, "2026-11-23T04:10:00+00:00"],
  [-210, "2026-11-23T00:40:00-03:30"],
  [-600, "2026-11-22T18:10:00-10:00"],
  [345, "2026-11-23T09:55:00+05:45"],
])("localMoment: %i minutes from UTC", (offsetMinutes, text) => {
  expect(localMoment(atSeconds, offsetMinutes)).toBe(text);
  expect(Date.parse(text)).toBe(atSeconds * 1000);
});

test("localMoment: this machine's own clock, in winter and in summer", () => {
  for (const text of ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"])
    expect(Date.parse(localMoment(Date.parse(text) / 1000))).toBe(Date.parse(text));
});

test("moment: in UTC, to the second", () => {
  expect(moment(atSeconds + 0.4)).toBe("2026-11-23T04:10:00Z");
});
