import type { Cluster } from "./bucket.ts";
import type { Caps } from "./caps.ts";
import type { NodeHistory } from "./history.ts";
import type { Job } from "./job.ts";
import type { HoldName } from "./limits.ts";
import type { NodeShape, PendingNodes, SchedulerNode } from "./node.ts";
import type { EngineSettings } from "./settings.ts";
import type { Target } from "./target.ts";

/** Of the cores of a spot array and a regular one together, new nodes make at most this share spot. */
export interface SpotShare {
  readonly spot: string;
  readonly regular: string;
  /** In thousandths, so that sums stay exact. */
  readonly perMille: number;
}

/** A VM size of a node array that is asked for no new nodes, whatever its limits leave. */
export interface HeldSize {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly hold: HoldName;
}

/** Everything that a plan depends on. Plain JSON data: an archived input gives the same plan again. */
export interface PlanInput {
  /** Unix seconds. */
  readonly nowSeconds: number;
  readonly cluster: Cluster;
  /** In the order of the demand. */
  readonly jobs: readonly Job[];
  /** Floors under the nodes of arrays, met after the jobs; absent: none. */
  readonly targets?: readonly Target[];
  readonly schedulerNodes: readonly SchedulerNode[];
  /** What nodes that come will offer, as schedulers count it. Absent: what their VMs have. */
  readonly nodeShapes?: readonly NodeShape[];
  readonly pending: readonly PendingNodes[];
  /** Ids of nodes with an open shutdown that the snapshot does not show yet: they take no jobs, and are not retired twice. */
  readonly leavingNodeIds: readonly string[];
  /** Those of them that are deallocated, not deleted. Absent: none. */
  readonly deallocatingNodeIds?: readonly string[];
  /** Ids of nodes that are to take no new jobs; absent: none. What runs there stays, and nothing else keeps them. */
  readonly closedNodeIds?: readonly string[];
  /**
   * Ids of nodes that boot and were bought for jobs alone: once nothing needs one, its idle clock runs, and it may go before it is
   * up. Absent: whether jobs need a node is not known for certain, so every node that boots counts as needed.
   */
  readonly boughtNodeIds?: readonly string[];
  /** One row per node id. */
  readonly history: readonly NodeHistory[];
  /** Unix seconds of the pass before this one; null for the first. Stands for the last match of every row that was matched then. */
  readonly lastPassSeconds: number | null;
  readonly settings: EngineSettings;
  /** Absent: none. */
  readonly caps?: Caps;
  /** Nodes that exist or are coming keep their place there. Absent: none. */
  readonly heldSizes?: readonly HeldSize[];
  /** How much of the cores of two node arrays may be spot. Absent: as much as the jobs want. */
  readonly spotShares?: readonly SpotShare[];
}
