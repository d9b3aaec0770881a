import { z } from "zod";
import type { ListedPrice } from "../ports/index.ts";

/** One line of Azure's public price list, as far as it is read. */
const itemSchema = z.looseObject({
  currencyCode: z.literal("USD", "expected USD"),
  retailPrice: z.number("expected a number").min(0, "expected a number, 0 or more"),
  unitOfMeasure: z.string("expected a text"),
  armRegionName: z.string("expected a text"),
  armSkuName: z.string("expected a text"),
  skuName: z.string("expected a text"),
  meterName: z.string("expected a text").default(""),
  productName: z.string("expected a text"),
  serviceName: z.string("expected a text"),
  type: z.string("expected a text"),
  effectiveStartDate: z.string("expected a date").default(""),
});

/** One page of the list. */
export const pageSchema = z.looseObject({
  Items: z.array(itemSchema, "expected a list of prices").max(10_000, "expected at most 10000 prices"),
  NextPageLink: z.string("expected an address").nullish(),
});

type Item = z.output<typeof itemSchema>;

/** What is asked of the list, and when: a price that starts later is not yet a price. */
export interface Asked {
  readonly location: string;
  /** In lower case. */
  readonly vmSizes: ReadonlySet<string>;
  readonly nowSeconds: number;
}

/** Prices of VM sizes, gathered from pages in any order. */
export class PriceGatherer {
  readonly #asked: Asked;
  readonly #found = new Map<string, { vmSize: string; regular?: Item; spot?: Item }>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  add(item: Item): void {
    const kind = kindOf(item);
    const key = item.armSkuName.toLowerCase();
    const { location, vmSizes, nowSeconds } = this.#asked;
    if (kind === "other" || !vmSizes.has(key) || item.armRegionName.toLowerCase() !== location) return;
    const startsSeconds = Date.parse(item.effectiveStartDate) / 1000;
    if (startsSeconds > nowSeconds) return;
    const prices = this.#found.get(key) ?? { vmSize: item.armSkuName };
    prices[kind] = later(prices[kind], item);
    this.#found.set(key, prices);
  }

  prices(): readonly ListedPrice[] {
    return [...this.#found.values()].map(({ vmSize, regular, spot }) => ({
      vmSize,
      regularUsd: regular?.retailPrice ?? null,
      spotUsd: spot?.retailPrice ?? null,
    }));
  }
}

/** Only Linux by the hour counts; a price of 0 is one that nobody set yet. */
function kindOf(item: Item): "regular" | "spot" | "other" {
  if (item.serviceName !== "Virtual Machines" || item.type !== "Consumption") return "other";
  if (item.unitOfMeasure !== "1 Hour" || item.retailPrice === 0) return "other";
  const names = `${item.skuName} ${item.meterName}`;
  if (/windows|cloud\s?services/i.test(item.productName) || /low priority/i.test(names)) return "other";
  return /\bspot\b/i.test(names) ? "spot" : "regular";
}

/** The price that started last; of two that started together the higher one, so that money is not counted short. */
function later(known: Item | undefined, item: Item): Item {
  if (known === undefined) return item;
  const [a, b] = [Date.parse(known.effectiveStartDate) || 0, Date.parse(item.effectiveStartDate) || 0];
  if (a !== b) return a > b ? known : item;
  return known.retailPrice >= item.retailPrice ? known : item;
}
