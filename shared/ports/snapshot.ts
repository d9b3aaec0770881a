import type { DayUse } from "../accounting/index.ts";
import type { Cluster } from "../engine/index.ts";
import type { SchedulerEvent } from "../messages/index.ts";
import type { BudgetSettings } from "./cluster-config.ts";
import type { Stored } from "./stored.ts";

/** Nodes that became Ready, or are gone. */
export type NodeChange = Pick<SchedulerEvent, "kind" | "nodes"> & {
  /** When it happened, for sources that are told hours later. Absent: an earlier release noted it. */
  readonly atSeconds?: number;
  /** Who has yet to be told; absent: every source. */
  readonly source?: string;
};

/** A cluster as CycleCloud reported it, in the engine's terms. */
export interface Snapshot {
  readonly cluster: Cluster;
  /** When the reading was *started*: whatever happened later may be missing from it. Unix seconds. */
  readonly takenAtSeconds: number;
  /** The deployment has other clusters, with which this one may share quotas. Absent: it has none. */
  readonly amongOthers?: true;
  /** Records that could not be understood and were left out, one sentence each. */
  readonly setAside: readonly string[];
  /** Changes of this reading and earlier ones that schedulers have yet to be sent. */
  readonly untold: readonly NodeChange[];
  /** The time of the newest change until now. Absent: none, or an earlier release noted it. */
  readonly changedAtSeconds?: number;
  readonly spending: Spending;
}

/**
 * What the nodes of a cluster's node arrays cost, by the prices of their VM sizes: an estimate, not the bill. A summary of
 * the accounts, so that plans and lists need not read those.
 */
export interface Spending {
  /** Until when it is counted; nodes are taken to run on after that. Unix seconds. */
  readonly asOfSeconds: number;
  /** Set: the accounts could not be read since then, and what ran was taken to cost what it did. */
  readonly reckonedSinceSeconds: number | null;
  readonly total: SpentSums;
  readonly nodeArrays: readonly (SpentSums & { readonly name: string })[];
  /** One for each budget that was configured when the snapshot was taken. */
  readonly budgets: readonly BudgetSpending[];
  /** What nodes were used for in the last 24 hours before it ends; null: the accounts were never read. */
  readonly lastDay: DayUse | null;
}

/** In US dollars, without nodes whose price is not known. */
export interface SpentSums {
  readonly hourUsd: number;
  readonly dayUsd: number;
  readonly monthUsd: number;
  /** What the nodes of this snapshot cost. */
  readonly usdPerHour: number;
  readonly unpricedNodes: number;
  /** Of this month. */
  readonly unpricedNodeHours: number;
  /** Of the whole month. */
  readonly forecastUsd: number;
}

export interface BudgetSpending {
  readonly budget: BudgetSettings;
  /** Whom it counts, as the accounts and jobs name them; null: who is not named. Empty: the whole cluster. */
  readonly names: readonly (string | null)[];
  /** In the day or month of the snapshot. */
  readonly spentUsd: number;
  readonly usdPerHour: number;
  readonly unpricedNodeHours: number;
  readonly level: BudgetLevel;
}

/** `near`: 80 % are spent. `reached`: all. */
export type BudgetLevel = "within" | "near" | "reached";

/**
 * The newest reading of each cluster.
 *
 * - Called by: whoever takes snapshots writes; planner, executor and views read.
 * - Twice: yes: an older reading does not replace a newer one.
 * - Gone: `load` gives undefined: no plan is made.
 * - Retries: the SDK; then the next beat of the timer.
 */
export interface SnapshotStore {
  load(cluster: string): Promise<Stored<Snapshot> | undefined>;
  /**
   * The newest reading replaces the one before, unless that one was started later. One that was started after
   * `latestSeconds` was not: a clock that was ahead says so.
   */
  save(cluster: string, snapshot: Snapshot, options?: { readonly latestSeconds?: number }): Promise<void>;
}
