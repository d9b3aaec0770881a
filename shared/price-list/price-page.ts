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
  /** Names the meter; lists of other makers may leave it out. */
  meterId: z.string("expected a text").default(""),
  effectiveStartDate: z.string("expected a date").default(""),
  effectiveEndDate: z.string("expected a date").nullish(),
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

type Kind = "regular" | "spot";

interface Gathered {
  readonly vmSize: string;
  /** By meter: the price that started last. */
  readonly meters: Readonly<Record<Kind, Map<string, Item>>>;
}

/** Prices of VM sizes, gathered from pages in any order. */
export class PriceGatherer {
  readonly #asked: Asked;
  readonly #gathered = new Map<string, Gathered>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  add(item: Item): void {
    const kind = kindOf(item);
    const key = item.armSkuName.toLowerCase();
    const { location, vmSizes } = this.#asked;
    if (kind === "other" || !vmSizes.has(key) || item.armRegionName.toLowerCase() !== location) return;
    if (!this.#isInForce(item)) return;
    const gathered = this.#gathered.get(key) ?? {
      vmSize: item.armSkuName,
      meters: { regular: new Map(), spot: new Map() },
    };
    const meters = gathered.meters[kind];
    meters.set(meterOf(item), later(meters.get(meterOf(item)), item));
    this.#gathered.set(key, gathered);
  }

  prices(): readonly ListedPrice[] {
    return [...this.#gathered.values()].map(({ vmSize, meters }) => ({
      vmSize,
      regularUsd: lowestUsd(meters.regular),
      spotUsd: lowestUsd(meters.spot),
    }));
  }

  #isInForce({ effectiveStartDate, effectiveEndDate }: Item): boolean {
    const { nowSeconds } = this.#asked;
    const startsSeconds = Date.parse(effectiveStartDate) / 1000;
    const endsSeconds = Date.parse(effectiveEndDate ?? "") / 1000;
    // A date that is missing or cannot be read is NaN, which excludes nothing.
    return !(startsSeconds > nowSeconds) && !(endsSeconds <= nowSeconds);
  }
}

/** Only Linux by the hour counts; a price of 0 is one that nobody set yet. */
function kindOf(item: Item): Kind | "other" {
  if (item.serviceName !== "Virtual Machines" || item.type !== "Consumption") return "other";
  if (item.unitOfMeasure !== "1 Hour" || item.retailPrice === 0) return "other";
  // Which of the three names says Windows differs from size to size.
  const names = `${item.productName} ${item.skuName} ${item.meterName}`;
  if (/windows|cloud\s?services|low priority/i.test(names)) return "other";
  return /\bspot\b/i.test(names) ? "spot" : "regular";
}

function meterOf({ meterId, productName, skuName, meterName }: Item): string {
  return meterId === "" ? JSON.stringify([productName, skuName, meterName]) : meterId;
}

/** The price of a meter that started last; of two that started together the higher one, so that money is not counted short. */
function later(other: Item | undefined, item: Item): Item {
  if (other === undefined) return item;
  const [a, b] = [Date.parse(other.effectiveStartDate) || 0, Date.parse(item.effectiveStartDate) || 0];
  if (a !== b) return a > b ? other : item;
  return other.retailPrice >= item.retailPrice ? other : item;
}

/** Of several meters, the dearer ones hold a licence that no name mentions. */
function lowestUsd(meters: ReadonlyMap<string, Item>): number | null {
  return meters.size === 0 ? null : Math.min(...[...meters.values()].map(({ retailPrice }) => retailPrice));
}
