/**
 * What demand may cost at most. A job that exceeds one of these keeps the hosts on which it runs, gets nothing more, and
 * names the cap that holds it back. The caps bound the time and memory of a plan for every valid message.
 */
export const demandCapNames = [
  "max-distinct-resources",
  "max-constraint-parts",
  "max-constraint-depth",
  "max-scheduler-hosts",
  "max-plan-checks",
  "max-cores-per-user",
  "max-cores-per-account",
  "max-cores-per-queue",
  "min-priority",
] as const;

/** Caps on what the jobs of one owner may have together. They are the operator's, and have no defaults. */
export type OwnerCapName = Extract<DemandCapName, `max-cores-per-${string}`>;

export const ownerCapNames = demandCapNames.filter((name): name is OwnerCapName =>
  name.startsWith("max-cores-per-"),
);

export type DemandCapName = (typeof demandCapNames)[number];

export interface DemandCaps {
  /**
   * Resources that jobs count down and only hosts have that schedulers describe. Those of node arrays, VM sizes and
   * `default_resources` are the operator's, and not capped.
   */
  readonly maxDistinctResources: number;
  /** Constraints, pool draws and options with wildcards of one job; other options are looked up and cost nothing. */
  readonly maxConstraintParts: number;
  /** Levels of `and`, `or`, `xor` and `not` of one job. */
  readonly maxConstraintDepth: number;
  /** Hosts that schedulers describe and CycleCloud does not have. */
  readonly maxSchedulerHosts: number;
  /** How often one plan may hold a constraint against a bucket or a node; every source has the same share. */
  readonly maxPlanChecks: number;
  /** Jobs of a lower priority get nothing. It is the operator's, and costs nothing. Null: none has too low a one. */
  readonly minPriority: number | null;
}

export const defaultDemandCaps: DemandCaps = {
  maxDistinctResources: 100,
  maxConstraintParts: 1_000,
  maxConstraintDepth: 16,
  maxSchedulerHosts: 20_000,
  maxPlanChecks: 10_000_000,
  minPriority: null,
};

/** A cap that a job reached. */
export interface DemandCapHit {
  readonly cap: DemandCapName;
  /** Whose cap it is, where each has one of their own. */
  readonly owner?: string;
  /** How much the job wants; null where that is known only once it was granted. */
  readonly asked: number | null;
  readonly limit: number;
}

/** The jobs and hosts that one cap held back in a plan. */
export interface HeldBack {
  readonly cap: DemandCapName;
  readonly limit: number;
  /** The most that one job wants; null as in `DemandCapHit`. */
  readonly asked: number | null;
  /** Jobs that wait because of it. */
  readonly jobs: number;
  /** Hosts that are not planned with because of it. */
  readonly hosts: number;
  /** The first of them, by name. */
  readonly first: string;
}

/** A cap as the configuration spells it. */
export function demandCapKey(cap: DemandCapName): string {
  return cap.replaceAll("-", "_");
}
