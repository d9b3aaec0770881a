import type { Cluster } from "../../shared/engine/index.ts";
import type { Snapshot, Spending, SpentSums } from "../../shared/ports/index.ts";

const nothing: SpentSums = {
  hourUsd: 0,
  dayUsd: 0,
  monthUsd: 0,
  usdPerHour: 0,
  unpricedNodes: 0,
  unpricedNodeHours: 0,
  forecastUsd: 0,
};

/** The account of a cluster that has cost nothing yet. */
export const nothingSpent: Spending = {
  asOfSeconds: 0,
  reckonedSinceSeconds: null,
  total: nothing,
  nodeArrays: [],
  budgets: [],
  lastDay: null,
};

/** A snapshot in which every record was understood, of which schedulers know all there is to know. */
export function snapshotOf(cluster: Cluster, takenAtSeconds: number): Snapshot {
  return {
    cluster,
    takenAtSeconds,
    setAside: [],
    untold: [],
    spending: { ...nothingSpent, asOfSeconds: takenAtSeconds },
  };
}
