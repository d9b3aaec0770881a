import type { Cluster } from "../../engine/index.ts";
import { priceCluster } from "../../prices/index.ts";
import { createManualClock, createSite } from "../../simulated-cyclecloud/index.ts";
import { ClusterReader, emptyCluster } from "./read-cluster.ts";
import type { RunInput } from "./run-input.ts";

/** The cluster of a run before it has nodes, with what they would cost. */
export function pricedCluster({
  config,
  definition,
  toReading,
  seed,
}: Pick<RunInput, "config" | "definition" | "toReading" | "seed">): Cluster {
  const clock = createManualClock(0);
  const site = createSite({ definitions: [{ ...definition, seed }], seed, clock });
  const empty = emptyCluster(new ClusterReader(site, config.cluster, toReading));
  return priceCluster(empty, { facts: config.facts, rules: config.priceRules });
}
