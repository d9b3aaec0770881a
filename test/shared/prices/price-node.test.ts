import { describe, expect, test } from "vitest";
import type { PriceRule } from "../../../shared/engine/index.ts";
import { shippedAsOfSeconds } from "../../../shared/facts/index.ts";
import { type PriceQuestion, priceNode } from "../../../shared/prices/price-node.ts";

const readAtSeconds = 1_800_000_000;
const listed = { regularUsd: 0.5, spotUsd: 0.1, asOfSeconds: readAtSeconds };
const sheet = { source: "sheet", asOfSeconds: readAtSeconds };
const shipped = { source: "shipped", asOfSeconds: shippedAsOfSeconds };
const own = { pricePerHourUsd: 0.3, spotPricePerHourUsd: 0.05 };

/** Standard_A8m_v2 in eastus: 8 cores, 0.475 in the shipped table. */
function pricesOf(
  over: Partial<Omit<PriceQuestion, "rules">> & { readonly rules?: readonly Partial<PriceRule>[] },
) {
  const rules = (over.rules ?? []).map((rule) => ({ name: "rule", select: [], ...rule }));
  return priceNode({
    vmSize: "Standard_A8m_v2",
    location: "eastus",
    cores: 8,
    own: {},
    listed: undefined,
    ...over,
    rules: { regular: rules, spot: rules },
  });
}

describe("priceNode", () => {
  const discount = { discountPercent: 40 };
  const licence = { addPerCoreHourUsd: 0.02 };

  test.each([
    {
      name: "the shipped table, and for spot the same as an upper bound",
      over: {},
      regular: { usdPerHour: 0.475, ...shipped },
      spot: { usdPerHour: 0.475, ...shipped, isUpperBound: true },
    },
    {
      name: "the sheet before the shipped table",
      over: { listed },
      regular: { usdPerHour: 0.5, ...sheet },
      spot: { usdPerHour: 0.1, ...sheet },
    },
    {
      name: "a sheet without a price of the size: the shipped table",
      over: { listed: { ...listed, regularUsd: null, spotUsd: null } },
      regular: { usdPerHour: 0.475, ...shipped },
      spot: { usdPerHour: 0.475, ...shipped, isUpperBound: true },
    },
    {
      name: "vm_sizes before everything, and no rule changes it",
      over: { listed, own, rules: [discount, licence] },
      regular: { usdPerHour: 0.3, source: "vm_sizes", asOfSeconds: null },
      spot: { usdPerHour: 0.05, source: "vm_sizes", asOfSeconds: null },
    },
    {
      name: "a regular price of vm_sizes is the upper bound of spot",
      over: { own: { pricePerHourUsd: 0.3 } },
      regular: { usdPerHour: 0.3, source: "vm_sizes", asOfSeconds: null },
      spot: { usdPerHour: 0.3, source: "vm_sizes", asOfSeconds: null, isUpperBound: true },
    },
    {
      name: "a discount: regular nodes only",
      over: { listed, rules: [discount] },
      regular: { usdPerHour: 0.3, source: "rule", asOfSeconds: readAtSeconds },
      spot: { usdPerHour: 0.1, ...sheet },
    },
    {
      name: "a discount does not lower the upper bound of spot",
      over: { rules: [discount] },
      regular: { usdPerHour: 0.285, source: "rule", asOfSeconds: shippedAsOfSeconds },
      spot: { usdPerHour: 0.475, ...shipped, isUpperBound: true },
    },
    {
      name: "licences per core: both",
      over: { listed, rules: [licence] },
      regular: { usdPerHour: 0.66, source: "rule", asOfSeconds: readAtSeconds },
      spot: { usdPerHour: 0.26, source: "rule", asOfSeconds: readAtSeconds },
    },
    {
      name: "all rules apply in their order: first the discount",
      over: { listed, rules: [discount, licence] },
      regular: { usdPerHour: 0.46, source: "rule", asOfSeconds: readAtSeconds },
      spot: { usdPerHour: 0.26, source: "rule", asOfSeconds: readAtSeconds },
    },
    {
      name: "all rules apply in their order: first the licence",
      over: { listed, rules: [licence, discount] },
      regular: { usdPerHour: 0.396, source: "rule", asOfSeconds: readAtSeconds },
      spot: { usdPerHour: 0.26, source: "rule", asOfSeconds: readAtSeconds },
    },
    {
      name: "a reservation changes no price",
      over: { listed, rules: [{ reservedNodes: 4 }] },
      regular: { usdPerHour: 0.5, ...sheet },
      spot: { usdPerHour: 0.1, ...sheet },
    },
    {
      name: "a region that nobody knows: not known, whatever the rules",
      over: { location: "moonbase1", rules: [discount, licence] },
      regular: null,
      spot: null,
    },
    {
      name: "a region that nobody knows, with a price of vm_sizes",
      over: { location: "usgovvirginia", own },
      regular: { usdPerHour: 0.3, source: "vm_sizes", asOfSeconds: null },
      spot: { usdPerHour: 0.05, source: "vm_sizes", asOfSeconds: null },
    },
  ])("$name", ({ over, regular, spot }) => {
    expect(pricesOf(over)).toEqual({ regular, spot });
  });
});
