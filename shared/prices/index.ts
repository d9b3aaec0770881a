/** What a node costs: one answer from the configuration, the price sheet and the shipped list. */
export { azureSpelling, locationsOf, type PriceSources, priceCluster } from "./price-cluster.ts";
export { inCents, inMicroUsd, inMilliCents } from "./rounded.ts";
