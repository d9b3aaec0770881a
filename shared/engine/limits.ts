/** The six limits that hold at once for a bucket; what is available is their minimum. */
export const LIMIT_NAMES = [
  "bucket",
  "region",
  "cluster",
  "node-array",
  "family",
  "placement-group",
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** Cores: the most that may be used, and what is used now. A use above the maximum counts as full. */
export interface CoreQuota {
  readonly maxCores: number;
  readonly usedCores: number;
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
