import type { NodeUse } from "../accounting/index.ts";
import type { Period } from "./accounts.ts";

interface UsedNodes {
  readonly nodes: number;
  /** Null: not known, the size of a node is one that the cluster does not have any more. */
  readonly cores: number | null;
}

/** A cluster at one moment, for curves over time. */
export interface Sample {
  readonly atSeconds: number;
  /** Nodes that cost money, by what they are used for. Absent: none. */
  readonly nodes: Readonly<Partial<Record<NodeUse, number>>>;
  /** US dollars for an hour of them; those without a known price are left out, and counted in `unpricedNodes`. */
  readonly usdPerHour: number;
  readonly unpricedNodes: number;
  /** Nodes on which jobs run, and the cores that they take there, by node array; without arrays on which none runs. Absent: not known. */
  readonly used?: Readonly<Record<string, UsedNodes>>;
  /** Of sources that are not silent. */
  readonly runningJobs: number;
  readonly waitingJobs: number;
}

/**
 * Samples of clusters, one a minute, for 30 days.
 *
 * - Called by: snapshots write; the dashboard, and the planner of a cluster with spare nodes, read.
 * - Twice: yes: of one minute the last one counts.
 * - Gone: samples are dropped by age.
 * - Retries: nobody: a sample that cannot be kept is left out.
 */
export interface SampleStore {
  /** Keeps a sample; of one minute the last one counts. */
  add(cluster: string, sample: Sample): Promise<void>;
  /** Those of a period, in order. */
  list(cluster: string, period: Period): Promise<readonly Sample[]>;
}
