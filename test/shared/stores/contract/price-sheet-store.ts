import { expect } from "vitest";
import type { PriceSheet, PriceSheetStore } from "../../../../shared/ports/index.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

/** A location of its own for each case. */
function sheetOf(location: string, readAtSeconds = startSeconds, regularUsd = 0.2): PriceSheet {
  const price = { regularUsd, spotUsd: null, asOfSeconds: readAtSeconds };
  return { location, readAtSeconds, prices: { standard_f4s_v2: price } };
}

export const priceSheetStoreCases: ContractCases<PriceSheetStore> = {
  "a location that was never read has no sheet": async (store) => {
    expect(await store.load(uniqueCluster())).toBeUndefined();
  },
  "a later reading replaces the one before": async (store) => {
    const location = uniqueCluster().toLowerCase();
    await store.save(sheetOf(location));
    expect(await store.load(location)).toEqual(sheetOf(location));
    await store.save(sheetOf(location, startSeconds + 60, 0.3));
    expect(await store.load(location)).toEqual(sheetOf(location, startSeconds + 60, 0.3));
  },
  "an earlier reading replaces nothing": async (store) => {
    const location = uniqueCluster().toLowerCase();
    await store.save(sheetOf(location, startSeconds + 60));
    await store.save(sheetOf(location, startSeconds, 0.3));
    expect(await store.load(location)).toEqual(sheetOf(location, startSeconds + 60));
  },
  "the letter case of a location does not matter, and locations are kept apart": async (store) => {
    const location = uniqueCluster().toLowerCase();
    const other = uniqueCluster().toLowerCase();
    await store.save(sheetOf(location));
    await store.save(sheetOf(other, startSeconds, 0.9));
    expect(await store.load(location.toUpperCase())).toEqual(sheetOf(location));
  },
  "of several saved at once one stays, whole": async (store) => {
    const location = uniqueCluster().toLowerCase();
    await Promise.all([1, 2, 3].map((n) => store.save(sheetOf(location, startSeconds + n, n))));
    const stored = await store.load(location);
    expect([1, 2, 3].map((n) => sheetOf(location, startSeconds + n, n))).toContainEqual(stored);
  },
};
