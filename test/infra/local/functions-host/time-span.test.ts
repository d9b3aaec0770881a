import { expect, test } from "vitest";
import { parseTimeSpan } from "../../../../infra/local/functions-host/host-json.ts";

test.each([
  ["00:00:05", 5_000],
  ["00:05", 300_000],
  ["00:00:00.200", 200],
  ["01:02:03.4567", 3_723_457],
  ["2.03:00:00", 183_600_000],
  ["-00:00:01", -1_000],
])("time span: %s is %d ms", (text, milliseconds) => {
  expect(parseTimeSpan(text)).toBe(milliseconds);
});

test.each(["", "5", "24:00:00", "00:60:00", "0 * * * * *", "PT5S"])("time span: %j is refused", (text) => {
  expect(parseTimeSpan(text)).toBeUndefined();
});
