import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNear } from "../../../../clients/cli/backtest/report/front-picture.ts";
import { labelPlaces } from "../../../../clients/cli/backtest/report/label-places.ts";

describe("labelPlaces", () => {
  test("one point has its label above; of two at one spot the second has it below", () => {
    const point = { x: 100, y: 100, text: "1" };
    expect(labelPlaces([point], 13, 500)).toEqual([{ dx: 0, dy: -14 }]);
    const [first, second] = labelPlaces([point, { ...point, text: "2" }], 13, 500);
    expect(first).not.toEqual(second);
  });

  test("whatever the points, no two labels overlap, and none leaves the picture", () => {
    const points = fc.array(
      fc.record({ x: fc.nat(300), y: fc.nat(200), text: fc.constantFrom("1", "12", "3, 4, 5") }),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(points, (all) => {
        const boxes = labelPlaces(all, 11, 300).flatMap((place, index) => {
          const { x = 0, y = 0, text = "" } = all[index] ?? {};
          const half = (text.length * 11 * 0.62) / 2;
          return place === undefined ? [] : [{ x: x + place.dx, y: y + place.dy, half }];
        });
        for (const [index, a] of boxes.entries()) {
          expect(a.x - a.half).toBeGreaterThanOrEqual(0);
          expect(a.x + a.half).toBeLessThanOrEqual(300);
          for (const b of boxes.slice(index + 1)) {
            const isApart = Math.abs(a.x - b.x) >= a.half + b.half - 1e-9 || Math.abs(a.y - b.y) >= 11 - 1e-9;
            expect(isApart).toBe(true);
          }
        }
      }),
    );
  });
});

describe("isNear", () => {
  const runs = [{ cost: 100 }, { cost: 130 }];

  test.each([
    ["a bound beside the runs is in the picture", 60, true],
    ["one far from them would make them one spot", 30, false],
    ["none is not", null, false],
  ])("%s", (_, boundUsd, expected) => {
    expect(isNear(boundUsd, runs)).toBe(expected);
  });
});
