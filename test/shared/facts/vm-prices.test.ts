import { expect, test } from "vitest";
import prices from "../../../shared/facts/vm-prices.json" with { type: "json" };
import { pricePerHourUsd } from "../../../shared/facts/vm-prices.ts";
import sizes from "../../../shared/facts/vm-sizes.json" with { type: "json" };

test.each([
  ["a known size", { vmSize: "Standard_A8m_v2", location: "eastus", spot: false }, 0.475],
  ["any letter case", { vmSize: "standard_a8m_V2", location: "EastUS", spot: false }, 0.475],
  ["a GPU size", { vmSize: "Standard_ND96isr_H100_v5", location: "southcentralus", spot: false }, 117.968],
  ["an unknown size", { vmSize: "Standard_Nothing_v9", location: "eastus", spot: false }, undefined],
  ["an unknown location", { vmSize: "Standard_A8m_v2", location: "usgovvirginia", spot: false }, undefined],
  ["a spot node", { vmSize: "Standard_A8m_v2", location: "eastus", spot: true }, undefined],
])("pricePerHourUsd: %s", (_name, query, expected) => {
  expect(pricePerHourUsd(query)).toBe(expected);
});

test("pricePerHourUsd: no price is zero or negative", () => {
  const known = Object.values(prices.onDemand)
    .flat()
    .filter((price) => price !== null);
  expect(Math.min(...known)).toBeGreaterThan(0);
});

test("facts: every column has a value for every size, and every price is of a known size", () => {
  const columns = [
    sizes.family,
    sizes.vcpus,
    sizes.vcpusAvailable,
    sizes.vcpusPerCore,
    sizes.memoryGiB,
    sizes.gpus,
  ];
  for (const column of [...columns, sizes.rdma, sizes.arm64]) expect(column).toHaveLength(sizes.name.length);
  for (const column of Object.values(prices.onDemand)) expect(column).toHaveLength(prices.name.length);
  const known = new Set(sizes.name);
  expect(prices.name.filter((name) => !known.has(name))).toEqual([]);
});
