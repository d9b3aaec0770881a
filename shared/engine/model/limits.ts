/** The operator's caps, in addition to the limits of CycleCloud and Azure; see `Caps`. */
export const capNames = ["max-nodes-per-plan", "max-cores", "monthly-budget", "unknown-price"] as const;

export type CapName = (typeof capNames)[number];

/** Why the planner itself asks a bucket for nothing for now: it gave too little or its boots fail, or a budget holds it. */
export const holdNames = ["back-off", "budget"] as const;

export type HoldName = (typeof holdNames)[number];

/**
 * The limits that hold at once for a bucket; what is available is their minimum. Their rules are in `limits/`. When several leave
 * equally few nodes, the first in this order is reported as the reason, except that `bucket` yields to a hold and to a limit with
 * `isInBucket`.
 */
export const limitNames = [
  "bucket",
  "region",
  "cluster",
  "node-array",
  "family",
  "placement-group",
  "spot-share",
  ...capNames,
  ...holdNames,
] as const;

export type LimitName = (typeof limitNames)[number];

/** Cores: the most that may be used, and what is used now. A use above the maximum counts as full. */
export interface CoreQuota {
  readonly maxCores: number;
  readonly usedCores: number;
  /** The most cores that are left, even if the figures are higher: Azure has refused more. Absent: the figures are right. */
  readonly mostLeftCores?: number;
}

/** CycleCloud's figures for one VM size of a node array. */
export interface BucketLimits {
  readonly maxCount: number;
  readonly activeCount: number;
  /** Nodes that CycleCloud would still create; leaves out nodes that are terminating. */
  readonly availableCount: number;
  readonly region: CoreQuota;
  /** Ignored for spot arrays, whose family figures CycleCloud reports as 0. */
  readonly family: CoreQuota;
  /** Nodes that fit one placement group. */
  readonly maxPlacementGroupSize: number;
}
