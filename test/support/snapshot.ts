import type { Cluster } from "../../shared/engine/index.ts";
import type { Snapshot, Spending } from "../../shared/ports/index.ts";

/** The account of a cluster that has cost nothing yet. */
export const nothingSpent: Spending = {
  month: "2026-11",
  spentUsd: 0,
  usdPerHour: 0,
  unpricedNodes: 0,
  unpricedNodeHours: 0,
  budgetUsd: null,
  level: "within",
};

/** A snapshot in which every record was understood, of which schedulers know all there is to know. */
export function snapshotOf(cluster: Cluster, takenAtSeconds: number): Snapshot {
  return { cluster, takenAtSeconds, setAside: [], untold: [], spending: nothingSpent };
}
