import { describe, expect, test } from "vitest";
import { bandsOf, timeMarks, topOf, valueMarks } from "../../../clients/dashboard/parts/plot-marks.ts";

const curves = [{ values: [1, null, 3] }, { values: [2, 5, null] }];

describe("figures of a chart", () => {
  test("stacked curves stand on those before them; an unknown value leaves a gap in its own curve only", () => {
    expect(bandsOf(curves, true)).toEqual([
      [[0, 1], null, [0, 3]],
      [[1, 3], [0, 5], null],
    ]);
  });

  test("other curves stand on zero", () => {
    expect(bandsOf(curves, false)).toEqual([
      [[0, 1], null, [0, 3]],
      [[0, 2], [0, 5], null],
    ]);
  });

  test.each([
    ["nothing known", [[null, null]], 1],
    ["only zeros", [[0, 0]], 1],
    ["a value", [[200, 4]], 210],
  ])("the axis of %s ends at %3$s", (_, values, top) => {
    expect(
      topOf(
        bandsOf(
          values.map((each) => ({ values: each })),
          true,
        ),
      ),
    ).toBeCloseTo(top);
  });

  test.each([
    [1, true, [0, 1]],
    [1, false, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [2.1, true, [0, 1, 2]],
    [10_500, true, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
  ])("an axis up to %s, of whole numbers: %s, has the marks %j", (top, isWhole, marks) => {
    expect(valueMarks(top, isWhole)).toEqual(marks);
  });

  test.each([
    ["an hour", 3_600, 640, 600],
    ["an hour on a telephone", 3_600, 280, 1_800],
    ["a day", 86_400, 640, 10_800],
    ["30 days", 30 * 86_400, 640, 432_000],
    ["30 days where there is hardly room", 30 * 86_400, 60, 864_000],
  ])("marks of %s are at least 80 pixels apart", (_, seconds, pixels, step) => {
    const until = 1_800_000_000;
    const marks = timeMarks([until - seconds, until], pixels);
    expect(marks.step).toBe(step);
    expect(marks.times.length).toBeGreaterThan(0);
    expect(marks.times.every((at) => at >= until - seconds && at <= until)).toBe(true);
  });
});
