import { expect, test } from "vitest";
import { priceOf } from "../../../shared/cyclecloud/vm-facts.ts";
import { createVmCatalogue } from "../../../shared/facts/vm-sizes.ts";

const own = { pricePerHourUsd: 0.3, spotPricePerHourUsd: 0.1 };
const cases = [
  { name: "the published price of the region", location: "eastus", spot: false, overrides: {}, price: 0.475 },
  {
    name: "spot: the full price, the most it can cost",
    location: "eastus",
    spot: true,
    overrides: {},
    price: 0.475,
  },
  { name: "the configuration's own price", location: "eastus", spot: false, overrides: own, price: 0.3 },
  { name: "the configuration's own spot price", location: "eastus", spot: true, overrides: own, price: 0.1 },
  {
    name: "spot without one: the configuration's full price",
    location: "eastus",
    spot: true,
    overrides: { pricePerHourUsd: 0.3 },
    price: 0.3,
  },
  {
    name: "a region without prices: not known",
    location: "usgovvirginia",
    spot: false,
    overrides: {},
    price: null,
  },
  {
    name: "a region without prices and an own price",
    location: "usgovvirginia",
    spot: false,
    overrides: own,
    price: 0.3,
  },
];

test.each(cases)("priceOf: $name", ({ location, spot, overrides, price }) => {
  const catalogue = createVmCatalogue({ overrides: { Standard_A8m_v2: overrides } });
  expect(priceOf({ vmSize: "Standard_A8m_v2", location, spot, catalogue })).toBe(price);
});

test("priceOf: a size that nobody knows has no price", () => {
  const query = { vmSize: "Standard_Nothing_v9", location: "eastus", spot: false };
  expect(priceOf({ ...query, catalogue: createVmCatalogue() })).toBeNull();
});
