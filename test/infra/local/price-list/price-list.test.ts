import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalPriceList, startPriceList } from "../../../../infra/local/price-list/start-price-list.ts";
import { pricePerHourUsd } from "../../../../shared/facts/index.ts";
import { createRetailPriceList } from "../../../../shared/price-list/index.ts";

let local: LocalPriceList;
beforeAll(async () => {
  local = await startPriceList();
});
afterAll(() => local.stop());

test("the service reads the local list, over several pages, as it would Azure's", async () => {
  const vmSizes = ["Standard_F4s_v2", "Standard_D8s_v5", "Standard_Odd", "Standard_E16s_v5"];
  const list = createRetailPriceList({ address: local.address, clock: { nowSeconds: () => 1_800_000_000 } });
  const prices = await list.read({ location: "westeurope", vmSizes });
  const regular = (vmSize: string) => pricePerHourUsd({ vmSize, location: "westeurope", spot: false });
  expect(prices.map(({ vmSize, regularUsd }) => [vmSize, regularUsd])).toEqual(
    ["Standard_F4s_v2", "Standard_D8s_v5", "Standard_E16s_v5"].map((vmSize) => [vmSize, regular(vmSize)]),
  );
  expect(prices.every(({ spotUsd, regularUsd }) => (spotUsd ?? 0) < (regularUsd ?? 0))).toBe(true);
});
