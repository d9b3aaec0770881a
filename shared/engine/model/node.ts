import type { Resources } from "../values/resources.ts";

/** A host that the scheduler knows. One that CycleCloud does not know is on premise: used, never created or deleted. */
export interface SchedulerNode {
  readonly hostname: string;
  readonly resources: Resources;
  /** False: CycleCloud's and the configuration's resources win over the scheduler's. Default true. */
  readonly overrideResources?: boolean;
  /** The scheduler starts no more jobs there. What runs there stays. */
  readonly takesNoJobs?: true;
}

/**
 * What nodes of an array will offer once they joined, as one scheduler counts them: for all that have not joined. Those
 * that have are reported each for itself.
 */
export interface NodeShape {
  /** The source that reports it. */
  readonly source: string;
  readonly nodeArray: string;
  /** Null: of every size of which the source reports no shape of its own. In any case. */
  readonly vmSize: string | null;
  /** All that the scheduler counts there: a resource that it knows on other nodes and not here is not there. */
  readonly resources: Resources;
}

/** Nodes of an open operation that the snapshot does not show yet: they take jobs and consume limits. */
export interface PendingNodes {
  readonly actionId: string;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly placementGroup: string | null;
  readonly dynamicArray?: string;
  /** The names asked for. A name that the snapshot shows as deallocated is one being started, not a new node. */
  readonly names?: readonly string[];
  readonly count: number;
}
