import { expect, test } from "vitest";
import { monthOf, monthStart } from "../../../shared/accounting/index.ts";

test.each([
  ["2027-01-31T23:59:59Z", "2027-01", "2027-01-01"],
  ["2027-02-01T00:00:00Z", "2027-02", "2027-02-01"],
])("the month of %s is %s", (moment, month, first) => {
  const atSeconds = Date.parse(moment) / 1_000;
  expect([monthOf(atSeconds), monthStart(atSeconds)]).toEqual([month, Date.parse(first) / 1_000]);
});
