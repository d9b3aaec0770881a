import type { NodeHistory } from "../engine/index.ts";

/** What the planner remembers of nodes. Only the planner of a cluster writes here, so no ETags are needed. */
export interface HistoryStore {
  /** All rows of the cluster, also those of nodes that are gone, until they are removed. */
  list(cluster: string): Promise<readonly NodeHistory[]>;
  /** Writes these rows and no others: the cost grows with what changed. */
  save(cluster: string, rows: readonly NodeHistory[]): Promise<void>;
  remove(cluster: string, nodeIds: readonly string[]): Promise<void>;
}
