import { expect, test } from "vitest";
import { licenceJumps } from "../../../shared/facts/licence-jumps.ts";
import prices from "../../../shared/facts/vm-prices.json" with { type: "json" };

/** What each size costs in a region, in the order of the shipped list. */
function shippedIn(column: readonly (number | null)[]) {
  return prices.name.flatMap((vmSize, row) => {
    const usd = column[row];
    return usd === null || usd === undefined ? [] : [{ vmSize, usd }];
  });
}

test.each(Object.entries(prices.onDemand))(
  "licenceJumps: the shipped prices of %s have none",
  (_region, column) => {
    const shipped = shippedIn(column);
    expect(shipped.length).toBeGreaterThan(1000);
    expect(licenceJumps(shipped)).toEqual([]);
  },
);

test.each([
  {
    name: "a Windows price beside a Linux price of the series",
    prices: { Standard_D4as_v5: 0.208, Standard_D16as_v5: 1.568 },
    expected: ["Standard_D16as_v5"],
  },
  {
    name: "a size with constrained cores pays the licence for all cores of its size",
    prices: { "Standard_E16-4as_v5": 1.8, Standard_E8as_v5: 0.532 },
    expected: ["Standard_E16-4as_v5"],
  },
  {
    name: "the largest size of a series has less memory per core",
    prices: { Standard_E64as_v5: 4.256, Standard_E96as_v5: 10.8 },
    expected: ["Standard_E96as_v5"],
  },
  {
    name: "a licence for B sizes is a tenth",
    prices: { Standard_B4as_v2: 0.15, Standard_B8as_v2: 0.3368 },
    expected: ["Standard_B8as_v2"],
  },
  {
    name: "prices rounded to cents",
    prices: { Standard_D2as_v5: 0.1, Standard_D16as_v5: 0.8 },
    expected: [],
  },
  {
    name: "another series may cost more",
    prices: { Standard_D16as_v5: 0.832, Standard_E16as_v4: 1.568 },
    expected: [],
  },
  {
    name: "GPUs cost more per core where there are fewer cores",
    prices: { Standard_NC4as_T4_v3: 0.611, Standard_NC8as_T4_v3: 0.854 },
    expected: [],
  },
  {
    name: "a size without published cores cannot be compared",
    prices: { Standard_D4as_v5: 0.208, Standard_D17as_v5: 9 },
    expected: [],
  },
])("licenceJumps: $name", ({ prices, expected }) => {
  const listed = Object.entries(prices).map(([vmSize, usd]) => ({ vmSize, usd }));
  expect(licenceJumps(listed).map(({ vmSize }) => vmSize)).toEqual(expected);
});
