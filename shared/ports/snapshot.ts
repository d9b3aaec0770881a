import type { Cluster } from "../engine/index.ts";
import type { SchedulerEvent } from "../messages/index.ts";
import type { Stored } from "./stored.ts";

/** Nodes that became Ready, or are gone. */
export type NodeChange = Pick<SchedulerEvent, "kind" | "nodes">;

/** A cluster as CycleCloud reported it, in the engine's terms. */
export interface Snapshot {
  readonly cluster: Cluster;
  /** When the reading was *started*: whatever happened later may be missing from it. Unix seconds. */
  readonly takenAtSeconds: number;
  /** Records that could not be understood and were left out, one sentence each. */
  readonly setAside: readonly string[];
  /** Changes of this reading and earlier ones that schedulers have yet to be sent. */
  readonly untold: readonly NodeChange[];
  readonly spending: Spending;
}

/**
 * What the nodes of a cluster's node arrays cost in a calendar month (UTC), by the prices of their VM sizes: an estimate,
 * not the bill. In US dollars.
 */
export interface Spending {
  /** Such as "2026-11". */
  readonly month: string;
  readonly spentUsd: number;
  /** What the nodes of this snapshot cost. */
  readonly usdPerHour: number;
  /** Nodes whose price is not known; the sums leave them out. */
  readonly unpricedNodes: number;
  readonly unpricedNodeHours: number;
  /** The configured budget when the snapshot was taken; null: none. */
  readonly budgetUsd: number | null;
  readonly level: BudgetLevel;
}

/** `near`: 80 % are spent. `reached`: all, and no new nodes are bought until the month ends or the budget is raised. */
export type BudgetLevel = "within" | "near" | "reached";

export interface SnapshotStore {
  load(cluster: string): Promise<Stored<Snapshot> | undefined>;
  /**
   * The newest reading replaces the one before, unless that one was started later. One that was started after
   * `latestSeconds` was not: a clock that was ahead says so.
   */
  save(cluster: string, snapshot: Snapshot, options?: { readonly latestSeconds?: number }): Promise<void>;
}
