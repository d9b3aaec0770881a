import { pricePerHourUsd } from "../facts/vm-prices.ts";
import type { VmCatalogue } from "../facts/vm-sizes.ts";

/**
 * US dollars for an hour of a node: the configuration's own figure, else the published price of the region. A spot node
 * without a figure of its own counts at the full price, which is the most that Azure charges for it. Null: not known.
 */
export function priceOf(node: {
  readonly vmSize: string;
  readonly location: string;
  readonly spot: boolean;
  readonly catalogue: VmCatalogue;
}): number | null {
  const { vmSize, location, spot, catalogue } = node;
  const own = catalogue.find(vmSize);
  const full = own?.pricePerHourUsd ?? pricePerHourUsd({ vmSize, location, spot: false }) ?? null;
  return spot ? (own?.spotPricePerHourUsd ?? full) : full;
}
