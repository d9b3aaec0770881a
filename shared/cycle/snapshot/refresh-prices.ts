import { messageOf } from "../../errors/errors.ts";
import type { ListedPrice, ListPrice, Ports, PriceList, PriceSheet } from "../../ports/index.ts";
import { azureSpelling } from "../../prices/index.ts";

/** Azure changes list prices a few times a year and spot prices about once a month. */
const freshSeconds = 20 * 3600;

type RefreshPorts = Pick<Ports, "clock" | "configs" | "log" | "priceSheets" | "snapshots">;

/**
 * Reads the price list of every location where a cluster may buy nodes, for the VM sizes that it may buy there: when the last
 * reading is old, or when a size is new. A failed reading leaves the last sheet as it is. Throws when no location could be
 * read.
 */
export async function refreshPrices(ports: RefreshPorts, list: PriceList): Promise<void> {
  const wanted = await sizesInUse(ports);
  const failures: unknown[] = [];
  for (const [location, vmSizes] of wanted) {
    try {
      await refreshLocation(ports, list, { location, vmSizes: [...vmSizes.values()] });
    } catch (error) {
      ports.log.warn("prices-not-read", { location, message: messageOf(error) });
      failures.push(error);
    }
  }
  if (failures.length > 0 && failures.length === wanted.size)
    throw new AggregateError(failures, `Cannot read prices of ${failures.length} locations`);
}

/** By location: VM sizes in Azure's spelling, keyed by their lower case. */
async function sizesInUse({
  configs,
  snapshots,
}: RefreshPorts): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const used = new Map<string, Map<string, string>>();
  for (const cluster of await configs.clusters()) {
    const snapshot = (await snapshots.load(cluster))?.value;
    for (const { location, buckets } of snapshot?.cluster.nodeArrays ?? []) {
      const key = location.toLowerCase();
      if (key === "") continue;
      const sizes = used.get(key) ?? new Map<string, string>();
      for (const { vmSize } of buckets) sizes.set(vmSize.toLowerCase(), azureSpelling(vmSize));
      used.set(key, sizes);
    }
  }
  return used;
}

async function refreshLocation(
  { clock, log, priceSheets }: RefreshPorts,
  list: PriceList,
  { location, vmSizes }: { readonly location: string; readonly vmSizes: readonly string[] },
): Promise<void> {
  const sheet = await priceSheets.load(location);
  const nowSeconds = clock.nowSeconds();
  if (vmSizes.length === 0 || (sheet !== undefined && isFresh(sheet, vmSizes, nowSeconds))) return;
  const listed = await list.read({ location, vmSizes });
  await priceSheets.save({
    location,
    readAtSeconds: nowSeconds,
    prices: merged({ before: sheet, listed, vmSizes, nowSeconds }),
  });
  log.info("prices-read", { location, sizes: vmSizes.length, priced: listed.length });
}

/** A sheet from the future comes from a clock that was ahead: it is read again. */
function isFresh(
  { readAtSeconds, prices }: PriceSheet,
  vmSizes: readonly string[],
  nowSeconds: number,
): boolean {
  const ageSeconds = nowSeconds - readAtSeconds;
  const knowsAll = vmSizes.every((vmSize) => Object.hasOwn(prices, vmSize.toLowerCase()));
  return knowsAll && ageSeconds >= 0 && ageSeconds < freshSeconds;
}

/** Sizes that are in use, and no others. One that the list has no longer keeps its last price, with its date. */
function merged(read: {
  readonly before: PriceSheet | undefined;
  readonly listed: readonly ListedPrice[];
  readonly vmSizes: readonly string[];
  readonly nowSeconds: number;
}): Readonly<Record<string, ListPrice>> {
  const listedPrices = new Map(read.listed.map((price) => [price.vmSize.toLowerCase(), price]));
  const none: ListPrice = { regularUsd: null, spotUsd: null, asOfSeconds: read.nowSeconds };
  return Object.fromEntries(
    read.vmSizes.map((vmSize) => {
      const key = vmSize.toLowerCase();
      const price = listedPrices.get(key);
      if (price === undefined) return [key, read.before?.prices[key] ?? none];
      const { regularUsd, spotUsd } = price;
      return [key, { regularUsd, spotUsd, asOfSeconds: read.nowSeconds }];
    }),
  );
}
