import type { Constraint, ConstraintReasonCode } from "../constraints/constraint-kinds.ts";
import type { Scalar } from "../values/resources.ts";
import type { DemandCapName } from "./demand-caps.ts";
import type { LimitName } from "./limits.ts";

/** Stable codes, for logs, dashboards and tests. */
export type ReasonCode =
  | ConstraintReasonCode
  | "NoCapacity"
  | "OutOfCapacity"
  /** Nodes have room and take no jobs (drained); `left` counts them. With `limit` when that keeps new ones from being made. */
  | "NodesTakeNoJobs"
  | "InvalidBucket"
  | "PlacementGroupTooSmall"
  | "LeftToOthers"
  /** Spare nodes would cost `asked` US dollars an hour (null: the price is not known) of at most `left`. */
  | "SpareCost"
  /** A node, even an empty one, holds no slot of the shape. */
  | "SlotTooLarge"
  /** The VM size has no GPU; `left` is null where nobody says how many it has. */
  | "NoGpus"
  /** There is room for `left` parts of its gang before the first that finds none. */
  | "GangIncomplete"
  | "NoBucketsDefined"
  | "NothingRequested"
  | "UnknownNodeArray"
  | "NodeArrayDisabled"
  | "NameOfANodeArray"
  | "UnknownVmSize"
  /** The job asks for more than a plan may check: `cap` names the cap, `asked` is the amount, `left` the limit. */
  | "DemandCapReached"
  /** A budget holds the job: `asked` US dollars are spent (null: unknown) of `left`. */
  | "BudgetSpent";

/** Why a target is not met in full. */
export type TargetReasonCode = Extract<
  ReasonCode,
  | "NoCapacity"
  | "NodesTakeNoJobs"
  | "InvalidBucket"
  | "PlacementGroupTooSmall"
  | "UnknownNodeArray"
  | "UnknownVmSize"
  | "NodeArrayDisabled"
  | "NameOfANodeArray"
  | "LeftToOthers"
  | "SpareCost"
  | "SlotTooLarge"
  | "NoGpus"
>;

export interface TargetReason extends Reason {
  readonly code: TargetReasonCode;
}

/** Why a bucket, or the whole cluster, could not take (all of) a job. Codes and numbers, no prose. */
export interface Reason {
  readonly code: ReasonCode;
  /** Null: true of the whole cluster. */
  readonly bucket: BucketName | null;
  /** The constraint that refused; null when a limit did. */
  readonly constraint: Constraint | null;
  /** The limit that refused; null when a constraint did. */
  readonly limit: LimitName | null;
  /** The cap, for `DemandCapReached`. */
  readonly cap?: DemandCapName;
  /** Whose cap it is, for one of `max-cores-per-…`. */
  readonly owner?: string;
  /** Name of the budget, for `BudgetSpent`. */
  readonly budget?: string;
  /** The source whose scheduler counts the resource so, of nodes that have not joined; absent: the VM has so much. */
  readonly countedBy?: string;
  /** How much was asked, or the value wanted. */
  readonly asked: Scalar;
  /** How much the bucket's node had or was left of the limit, or the value found. */
  readonly left: Scalar;
}

/** The identity of a bucket: each placement group of a VM size is a bucket, and so are the nodes of a dynamic array. */
export interface BucketName {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly placementGroup: string | null;
  /** Present for nodes that are accounted to a dynamic array. */
  readonly dynamicArray?: string;
}

/** The array as jobs and people know it. */
export function accountName({ nodeArray, dynamicArray }: BucketName): string {
  return dynamicArray ?? nodeArray;
}

/** The same for the same bucket. */
export function bucketKey({ nodeArray, vmSize, placementGroup, dynamicArray }: BucketName): string {
  return JSON.stringify([nodeArray, vmSize, placementGroup, dynamicArray ?? null]);
}
