import { expect, test } from "vitest";
import { parseConfig } from "../../../shared/config/parse-config.ts";

const base = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };
const pairs = [{ spot: "htc-spot", regular: "htc" }];

function parsed(keys: Readonly<Record<string, unknown>>) {
  return parseConfig({ cluster: "hpc", json: { ...base, ...keys } });
}

test("spot: what is left out has its default", () => {
  const result = parsed({ spot: { pairs } });
  expect(result.ok && result.config.cycle.spot).toEqual({
    pairs,
    patienceSeconds: 300,
    maxRuntimeSeconds: null,
    maxShare: 1,
    evictionsBeforeRegular: 2,
  });
});

test("spot: everything is read", () => {
  const spot = { pairs, patience: 0, max_runtime: 3600, max_share: 0.8, evictions_before_regular: 1 };
  const result = parsed({ spot });
  expect(result.ok && result.config.cycle.spot).toEqual({
    pairs,
    patienceSeconds: 0,
    maxRuntimeSeconds: 3600,
    maxShare: 0.8,
    evictionsBeforeRegular: 1,
  });
  expect(result.ok && result.config.warnings).toEqual([]);
});

test.each([
  [{ pairs: [] }, "spot.pairs", "expected at least one pair of node arrays"],
  [{ pairs: [{ spot: "a" }] }, "spot.pairs[0].regular", "expected a text"],
  [{ pairs: [...pairs, ...pairs] }, "spot.pairs[1].spot", "expected each spot array in one pair"],
  [
    { pairs: [{ spot: "a", regular: "a" }] },
    "spot.pairs[0].regular",
    "expected an array that is no spot array",
  ],
  [{ pairs, patience: -1 }, "spot.patience", 'expected a number of seconds, 0 or more, such as 600 or "10m"'],
  [
    { pairs, max_runtime: 0 },
    "spot.max_runtime",
    'expected a number of seconds above 0, such as 600 or "10m"',
  ],
  [{ pairs, max_share: 80 }, "spot.max_share", "expected a share above 0, up to 1"],
  [{ pairs, max_share: 0 }, "spot.max_share", "expected a share above 0, up to 1"],
  [
    { pairs, evictions_before_regular: 0 },
    "spot.evictions_before_regular",
    "expected a whole number, 1 or more",
  ],
])("spot: %j is refused at %s", (spot, path, wanted) => {
  const result = parsed({ spot });
  if (result.ok) throw new Error("It was accepted");
  expect(result.problems).toHaveLength(1);
  expect(result.problems[0]).toContain(path);
  expect(result.problems[0]).toContain(wanted);
});

test.each([
  [{ compatibility: "scalelib" }, 'spot: ignored, "compatibility" is "scalelib"'],
  [{ placement: "order" }, 'spot.pairs: placement of "htc-spot" is "order"'],
])("spot: with %j there is a warning", (keys, warning) => {
  const result = parsed({ spot: { pairs }, ...keys });
  expect(result.ok && result.config.warnings.join("\n")).toContain(warning);
});

test("spot: an unknown key is reported with the one that was meant", () => {
  const result = parsed({ spot: { pairs, patienc: 3 } });
  expect(result.ok && result.config.warnings).toEqual([
    'spot.patienc: unknown, ignored; did you mean "patience"?',
  ]);
});
