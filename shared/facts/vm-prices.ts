import prices from "./vm-prices.json" with { type: "json" };

export interface PriceQuery {
  /** The letter case does not matter. */
  readonly vmSize: string;
  /** Azure's short name, "westeurope". */
  readonly location: string;
  readonly spot: boolean;
}

/** The date of the shipped prices. */
export const shippedAsOfSeconds = Date.parse(`${prices.asOf}T00:00:00Z`) / 1000;

const columnByName: ReadonlyMap<string, number> = new Map(
  prices.name.map((name, column) => [name.toLowerCase(), column]),
);

const onDemandByLocation: ReadonlyMap<string, readonly (number | null)[]> = new Map(
  Object.entries(prices.onDemand),
);

/**
 * US dollars per hour for Linux, pay as you go. Undefined means "cannot tell", never "free": an unknown size, a
 * location without prices, and every spot node, because spot prices change by the hour and are no fact.
 */
export function pricePerHourUsd({ vmSize, location, spot }: PriceQuery): number | undefined {
  if (spot) return undefined;
  const column = columnByName.get(vmSize.toLowerCase());
  if (column === undefined) return undefined;
  return onDemandByLocation.get(location.toLowerCase())?.[column] ?? undefined;
}
