import type { Json, Resources } from "../values/resources.ts";
import type { VmFacts } from "./bucket.ts";
import type { CapBound } from "./caps.ts";
import type { HeldBack } from "./demand-caps.ts";
import type { NodeHistory } from "./history.ts";
import type { OwnerLimit } from "./job.ts";
import type { LimitName } from "./limits.ts";
import type { BucketName, Reason } from "./reasons.ts";
import type { SizeChoice } from "./size-choice.ts";
import type { NodeTarget, TargetOutcome } from "./target.ts";

/** The nodes to create, start and delete, and the places of each job. */
export interface Plan {
  /** In the order of the demand. */
  readonly jobs: readonly JobOutcome[];
  /** In the order of the input. */
  readonly targets: readonly TargetOutcome[];
  readonly create: readonly CreateSet[];
  /** Why new nodes are of their size, set by set in the order of `create`. Costs nothing until it is read. */
  readonly sizes: readonly SizeChoice[];
  readonly start: readonly NodeStart[];
  /** Time-outs that may be acted upon: never a keep-alive node, never one that holds a job. */
  readonly retire: readonly Retirement[];
  /** All time-outs of this pass, those of booting nodes with jobs planned on them included. */
  readonly timedOut: readonly Retirement[];
  readonly retry: readonly NodeRetry[];
  /** Absent: none. */
  readonly keptFailed?: readonly KeptFailedNode[];
  /** Every existing, pending and new node that may run jobs, with what is left of it. */
  readonly nodes: readonly PlannedNode[];
  /** Names of nodes that hold a job, count towards a target or are keep-alive. */
  readonly matched: readonly string[];
  readonly unmatched: readonly string[];
  readonly failed: readonly string[];
  readonly buckets: readonly BucketUse[];
  /** Only the rows that changed. */
  readonly history: readonly NodeHistory[];
  readonly warnings: readonly Warning[];
  /** What the operator's caps held back; absent: nothing. */
  readonly clipped?: Clipping;
  /** What the caps on demand held back; absent: nothing. */
  readonly heldBack?: readonly HeldBack[];
  /** What owners of jobs have, whose cores are limited, in the order of the jobs; absent: none are. */
  readonly ownerUses?: readonly OwnerUse[];
}

/** What the running jobs of one owner take of the cores that it may have. */
export interface OwnerUse extends OwnerLimit {
  readonly usedCores: number;
}

/**
 * New nodes and starts: what jobs and targets asked for, and what they got. Both count nodes, so that with other sizes to go to,
 * a clipped plan may even have more of them.
 */
export interface Clipping {
  readonly asked: number;
  readonly granted: number;
  readonly by: readonly ClippingCap[];
}

/** A cap that held jobs or targets back. */
export interface ClippingCap extends CapBound {
  /** Jobs that it kept from getting all they asked for. */
  readonly jobs: number;
  /** Targets that it kept from being met. */
  readonly targets: number;
}

/**
 * What became of a job. `reasons` costs nothing until it is read; written as JSON, it holds the nearest of each of the first
 * few kinds, in short: the input gives all of them again.
 */
export interface JobOutcome {
  readonly name: string;
  /** True when it got something: all of its nodes, or at least one of its slots. */
  readonly allocated: boolean;
  /** Slots (pack) or nodes (scatter) asked for, and got. */
  readonly asked: number;
  readonly granted: number;
  readonly placements: readonly Placement[];
  /** Why it got nothing, or not all: at most one per bucket. Empty when it got all. */
  readonly reasons: readonly Reason[];
}

/** Slots of one job on one node. */
export interface Placement {
  readonly node: string;
  readonly slots: number;
}

/** One set of a create request, in node index order. */
export interface CreateSet {
  readonly nodeArray: string;
  readonly bucketId: string;
  readonly vmSize: string;
  readonly placementGroup: string | null;
  readonly dynamicArray?: string;
  readonly count: number;
  readonly names: readonly string[];
  /** With `%d` for the index; null: CycleCloud's own `<nodearray>-<index>`. */
  readonly nameFormat: string | null;
  /** Index of the first name; the names of one set are consecutive. */
  readonly nameOffset: number;
  readonly nodeAttributes: { readonly [key: string]: Json };
  readonly keepAlive: boolean;
}

export interface NodeStart {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeArray: string;
}

/** A node to delete, and since when it deserves it. */
export interface Retirement {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeArray: string;
  readonly hostname: string | null;
  readonly cause:
    | "idle-timeout"
    | "unwanted"
    | "boot-timeout"
    | "failed"
    | "spot-released"
    | "unhealthy"
    | "deallocated";
  /**
   * Unix seconds: last match (idle, unwanted), creation (boot, failed), when its scheduler took it out (unhealthy), when it was
   * deallocated.
   */
  readonly sinceSeconds: number;
  /** How it goes. Absent: as its shutdown policy says. */
  readonly verb?: "deallocate" | "terminate";
}

/** A failed node that is left for a look, beside the plan: no job is on it, and none waits for it. */
export interface KeptFailedNode {
  readonly nodeId: string;
  readonly name: string;
  /** When it goes; earlier if its room is wanted. */
  readonly untilSeconds: number;
}

export interface NodeRetry {
  readonly nodeId: string;
  readonly name: string;
}

/** `existing`: CycleCloud runs it. `starting`: deallocated, the plan starts it. `pending`: asked for already. `new`: the plan creates it. */
export type NodeOrigin = "existing" | "starting" | "pending" | "new" | "on-premise";

export interface PlannedNode {
  readonly name: string;
  /** Null for nodes that do not exist yet and on-premise ones. */
  readonly nodeId: string | null;
  readonly hostname: string | null;
  readonly origin: NodeOrigin;
  /** CycleCloud's status; null when it has none. */
  readonly status: string | null;
  readonly nodeArray: string;
  readonly vmSize: string;
  /** What its size has, whatever resources say; absent in a plan that was written out and read again. */
  readonly vm?: Pick<VmFacts, "vcpuCount" | "memoryBytes">;
  readonly placementGroup: string | null;
  readonly dynamicArray?: string | undefined;
  readonly keepAlive: boolean;
  /** The targets that it counts towards, which keep it while no job needs it; absent: none. */
  readonly targets?: readonly NodeTarget[];
  readonly jobs: readonly { readonly job: string; readonly slots: number }[];
  /** What the node was born with, and what the plan leaves of it. */
  readonly resources: Resources;
  readonly available: Resources;
}

/** What the plan leaves of a bucket's limits, in nodes of that bucket. */
export interface BucketUse extends BucketName {
  readonly bucketId: string;
  readonly availableCount: number;
  readonly left: Readonly<Record<LimitName, number>>;
  /** The limit that is smallest. */
  readonly binding: LimitName;
}

/** Something odd in the input that did not stop the plan. */
export interface Warning {
  readonly code: string;
  readonly subject: string;
  readonly message: string;
}
