import { expect } from "vitest";
import type { PriceSheet, PriceSheetStore } from "../../../../shared/ports/index.ts";
import { type ContractCase, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

/** A location of its own for each case. */
function sheetOf(location: string, readAtSeconds = startSeconds, regularUsd = 0.2): PriceSheet {
  const price = { regularUsd, spotUsd: null, asOfSeconds: readAtSeconds };
  return { location, readAtSeconds, prices: { standard_f4s_v2: price } };
}

export const priceSheetStoreCases: readonly ContractCase<PriceSheetStore>[] = [
  {
    name: "a location that was never read has no sheet",
    async run(store) {
      expect(await store.load(uniqueCluster())).toBeUndefined();
    },
  },
  {
    name: "a later reading replaces the one before",
    async run(store) {
      const location = uniqueCluster().toLowerCase();
      await store.save(sheetOf(location));
      expect(await store.load(location)).toEqual(sheetOf(location));
      await store.save(sheetOf(location, startSeconds + 60, 0.3));
      expect(await store.load(location)).toEqual(sheetOf(location, startSeconds + 60, 0.3));
    },
  },
  {
    name: "an earlier reading replaces nothing",
    async run(store) {
      const location = uniqueCluster().toLowerCase();
      await store.save(sheetOf(location, startSeconds + 60));
      await store.save(sheetOf(location, startSeconds, 0.3));
      expect(await store.load(location)).toEqual(sheetOf(location, startSeconds + 60));
    },
  },
  {
    name: "the letter case of a location does not matter, and locations are kept apart",
    async run(store) {
      const location = uniqueCluster().toLowerCase();
      const other = uniqueCluster().toLowerCase();
      await store.save(sheetOf(location));
      await store.save(sheetOf(other, startSeconds, 0.9));
      expect(await store.load(location.toUpperCase())).toEqual(sheetOf(location));
    },
  },
  {
    name: "of several saved at once one stays, whole",
    async run(store) {
      const location = uniqueCluster().toLowerCase();
      await Promise.all([1, 2, 3].map((n) => store.save(sheetOf(location, startSeconds + n, n))));
      const stored = await store.load(location);
      expect([1, 2, 3].map((n) => sheetOf(location, startSeconds + n, n))).toContainEqual(stored);
    },
  },
];
