import type { BucketPrices, Price, PriceRule } from "../engine/index.ts";
import { pricePerHourUsd, shippedAsOfSeconds, type VmSizeOverride } from "../facts/index.ts";
import type { ListPrice } from "../ports/index.ts";
import { inMicroUsd } from "./rounded.ts";

/** What is known of the price of a VM size in a location. */
export interface PriceQuestion {
  readonly vmSize: string;
  readonly location: string;
  /** Cores that jobs can use, which an amount per core counts. */
  readonly cores: number;
  /** What `vm_sizes` of the configuration says of the size. */
  readonly own: Pick<VmSizeOverride, "pricePerHourUsd" | "spotPricePerHourUsd">;
  /** The rules that select such nodes as regular ones and as spot, in their order. */
  readonly rules: { readonly regular: readonly PriceRule[]; readonly spot: readonly PriceRule[] };
  /** What the price sheet of the location has. */
  readonly listed: ListPrice | undefined;
}

/**
 * What an hour of a node costs. A price of `vm_sizes` is the operator's last word: no rule changes it. Discounts are for
 * regular nodes only, as reservations and savings plans are; licences per core are for both.
 */
export function priceNode(question: PriceQuestion): BucketPrices {
  const { own, rules } = question;
  const list = listPrice(question);
  const regular =
    ownPrice(own.pricePerHourUsd) ?? withRules(list, question, { rules: rules.regular, discounts: true });
  const spot =
    ownPrice(own.spotPricePerHourUsd) ??
    withRules(spotListPrice(question), question, { rules: rules.spot, discounts: false }) ??
    // Spot never costs more than pay as you go; what regular nodes are discounted by does not hold for it.
    upperBound(
      ownPrice(own.pricePerHourUsd) ?? withRules(list, question, { rules: rules.spot, discounts: false }),
    );
  return { regular, spot };
}

function ownPrice(usdPerHour: number | undefined): Price | null {
  return usdPerHour === undefined ? null : { usdPerHour, source: "vm_sizes", asOfSeconds: null };
}

function upperBound(price: Price | null): Price | null {
  return price && { ...price, isUpperBound: true };
}

/** What Azure asks of everybody: the sheet before the shipped table. */
function listPrice({ vmSize, location, listed }: PriceQuestion): Price | null {
  if (typeof listed?.regularUsd === "number")
    return { usdPerHour: listed.regularUsd, source: "sheet", asOfSeconds: listed.asOfSeconds };
  const shipped = pricePerHourUsd({ vmSize, location, spot: false });
  return shipped === undefined
    ? null
    : { usdPerHour: shipped, source: "shipped", asOfSeconds: shippedAsOfSeconds };
}

function spotListPrice({ listed }: PriceQuestion): Price | null {
  return typeof listed?.spotUsd === "number"
    ? { usdPerHour: listed.spotUsd, source: "sheet", asOfSeconds: listed.asOfSeconds }
    : null;
}

function withRules(
  price: Price | null,
  { cores }: PriceQuestion,
  { rules, discounts }: { readonly rules: readonly PriceRule[]; readonly discounts: boolean },
): Price | null {
  if (price === null) return null;
  let usdPerHour = price.usdPerHour;
  let changes = false;
  for (const { discountPercent, addPerCoreHourUsd } of rules) {
    if (discounts && discountPercent !== undefined) {
      usdPerHour *= 1 - discountPercent / 100;
      changes = true;
    }
    if (addPerCoreHourUsd !== undefined) {
      usdPerHour += addPerCoreHourUsd * cores;
      changes = true;
    }
  }
  return changes ? { ...price, usdPerHour: inMicroUsd(usdPerHour), source: "rule" } : price;
}
