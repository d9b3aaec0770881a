import { type Bucket, type Cluster, type NodeArray, type PriceRule, selectsBucket } from "../engine/index.ts";
import { createVmCatalogue, type VmCatalogue, type VmCatalogueOptions } from "../facts/index.ts";
import type { PriceSheet } from "../ports/index.ts";
import { priceNode } from "./price-node.ts";

/** Everything that prices come from, besides the list that is shipped. */
export interface PriceSources {
  /** `vm_sizes` of the configuration. */
  readonly facts?: VmCatalogueOptions | undefined;
  readonly rules?: readonly PriceRule[] | undefined;
  /** Price sheets of the cluster's locations, those there are. */
  readonly sheets?: readonly PriceSheet[] | undefined;
}

/** The cluster with the price of each bucket, where that comes from, and the reservation that pays its first nodes. */
export function priceCluster(cluster: Cluster, sources: PriceSources): Cluster {
  const known = {
    catalogue: createVmCatalogue(sources.facts),
    rules: sources.rules ?? [],
    sheets: new Map((sources.sheets ?? []).map((sheet) => [sheet.location, sheet])),
  };
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => priceBucket(bucket, array, known)),
  }));
  return { ...cluster, nodeArrays };
}

const published = createVmCatalogue();

/** Azure's own spelling of a VM size, where it is known: its price list is asked with the letter case. */
export function azureSpelling(vmSize: string): string {
  return published.find(vmSize)?.name ?? vmSize;
}

/** Azure's short names of the locations whose price sheets a cluster needs. */
export function locationsOf(cluster: Cluster): readonly string[] {
  return [...new Set(cluster.nodeArrays.map(({ location }) => location.toLowerCase()))];
}

interface PriceFacts {
  readonly catalogue: VmCatalogue;
  readonly rules: readonly PriceRule[];
  readonly sheets: ReadonlyMap<string, PriceSheet>;
}

function priceBucket(bucket: Bucket, array: NodeArray, { catalogue, rules, sheets }: PriceFacts): Bucket {
  const { location, spot } = array;
  const { vmSize, vm } = bucket;
  const selecting = (asSpot: boolean) => rules.filter((rule) => isSelected(rule, { bucket, array, asSpot }));
  const prices = priceNode({
    vmSize,
    location,
    cores: vm.vcpuCount,
    own: catalogue.ownFacts(vmSize),
    rules: { regular: selecting(false), spot: selecting(true) },
    listed: sheets.get(location.toLowerCase())?.prices[vmSize.toLowerCase()],
  });
  const applying = spot ? prices.spot : prices.regular;
  const reservation = spot ? undefined : reservationOf(selecting(false));
  return {
    ...bucket,
    prices,
    pricePerHourUsd: applying?.usdPerHour ?? null,
    ...(reservation !== undefined && { reservation }),
  };
}

/** A node is paid by one reservation: the first that selects it. No reservation of Azure pays for spot nodes. */
function reservationOf(rules: readonly PriceRule[]): Bucket["reservation"] {
  const rule = rules.find(({ reservedNodes }) => reservedNodes !== undefined);
  return rule?.reservedNodes === undefined ? undefined : { name: rule.name, nodes: rule.reservedNodes };
}

function isSelected(
  { select }: PriceRule,
  of: { readonly bucket: Bucket; readonly array: NodeArray; readonly asSpot: boolean },
): boolean {
  const { bucket, array, asSpot } = of;
  return selectsBucket(select, {
    account: array.name,
    bucketId: bucket.bucketId,
    vmSize: bucket.vmSize,
    vm: bucket.vm,
    location: array.location,
    spot: asSpot,
    placementGroup: array.placementGroup,
  });
}
