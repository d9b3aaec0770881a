import type { NodeHistory } from "../engine/index.ts";

/** Rows, and where a reader goes on from who wants no more than what comes later. */
export interface HistoryReading {
  readonly rows: readonly NodeHistory[];
  /** Undefined while there is nothing to go on from. */
  readonly mark: string | undefined;
}

/** A reading that began with all rows, and when they were read. */
export interface KeptReading extends HistoryReading {
  readonly allAtSeconds: number;
}

/**
 * What the planner remembers of nodes.
 *
 * - Called by: only the planner of a cluster writes, in its session, so no ETags are needed; views read.
 * - Twice: yes: the same rows again change nothing.
 * - Gone: `remove` of rows that are gone does nothing.
 * - Retries: the SDK; then the next plan, which writes what the rows lack.
 */
export interface HistoryStore {
  /** All rows of the cluster, also those of nodes that are gone, until they are removed. */
  list(cluster: string): Promise<readonly NodeHistory[]>;
  /**
   * The rows that were written since the reading that gave `mark`, some perhaps once more; without a mark all. Nothing tells
   * that rows were removed.
   */
  since(cluster: string, mark: string | undefined): Promise<HistoryReading>;
  /** The reading that was kept last; undefined: none. A process that starts goes on from it: all rows take long to read. */
  kept(cluster: string): Promise<KeptReading | undefined>;
  keep(cluster: string, reading: KeptReading): Promise<void>;
  /** Writes these rows and no others: the cost grows with what changed. */
  save(cluster: string, rows: readonly NodeHistory[]): Promise<void>;
  remove(cluster: string, nodeIds: readonly string[]): Promise<void>;
}

/** A node that CycleCloud lost, or could not get, without anybody asking for that; it says so in an event. */
export interface NodeLoss {
  readonly cluster: string;
  /** The event's own id: one that is delivered twice is one loss. */
  readonly eventId: string;
  /**
   * `SpotEvicted`: Azure took a spot VM back. `AllocationFailed`: it had none. `VMDisappeared`: nobody knows why.
   * `SpotGone`: no event, but a snapshot shows that a spot node went which nobody here had asked to go.
   */
  readonly reason: "SpotEvicted" | "AllocationFailed" | "VMDisappeared" | "SpotGone";
  readonly nodeId: string | null;
  readonly nodeName: string | null;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly atSeconds: number;
  /** What CycleCloud says of it, cut; absent: nothing. */
  readonly message?: string;
  /** Of `SpotGone`: the short name of the host that the node was. */
  readonly hostname?: string;
  /** Of `SpotGone`: names of the jobs that ran there when it was seen last; at most 50. Absent: not known. */
  readonly jobs?: readonly string[];
}

/**
 * Nodes that were lost without anybody asking.
 *
 * - Called by: receivers of events and snapshots.
 * - Twice: yes: the event's id is the key, and `add` returns false.
 * - Gone: losses are dropped by age.
 * - Retries: the SDK; then Event Grid, or the next snapshot.
 */
export interface NodeLossStore {
  /** The same event again changes nothing. True when it was new. */
  add(loss: NodeLoss): Promise<boolean>;
  /** Newest first, at most `limit`; only those from `sinceSeconds` to `untilSeconds` when given. */
  recent(
    cluster: string,
    limit: number,
    sinceSeconds?: number,
    untilSeconds?: number,
  ): Promise<readonly NodeLoss[]>;
}
