import type { Bucket, Cluster, NodeArray, VmFacts } from "../model/bucket.ts";
import type { CapBound, Caps, Running } from "../model/caps.ts";
import type { BucketLimits } from "../model/limits.ts";
import type { Counters } from "./counters.ts";
import type { Charge } from "./quota.ts";

/**
 * All that the engine knows of one limit. A limit is one file that holds this, with its name in `model/limits.ts` and a line in
 * `limits.ts`; how it is put into words is in `shared/views/explain`. What is optional has a default that suits a limit that
 * only stops new nodes: no node that goes makes room under it, and nobody can raise it.
 */
export interface Limit {
  /** What a new node takes of its counters; none where it does not hold. Asked once for each bucket of a plan. */
  charges(home: Home, counters: Counters): readonly LimitCharge[];
  /**
   * Its scope, for people: `htc`, `westeurope/standardFSv2Family`. Nodes that have the same count under it together, so that
   * one that goes makes room for another. Null: it does not hold there.
   */
  scopeOf?(place: Place): string | null;
  /** How many cores of a VM count. Default: it counts nodes. */
  coresOf?(vm: VmFacts): number;
  /** What CycleCloud still offers of a bucket has it applied already. */
  readonly isInBucket?: true;
  /** What is shown as its size and use. Default: those of its counter; null: it has none. */
  readonly shown?: ((size: Bucket) => Figures) | null;
  /** What somebody changes who raises it. Absent: nobody can. */
  readonly raise?: Raise;
}

/** A limit of the operator's own. */
export interface Cap extends Limit {
  /** What is set, and what is taken of it before a plan. Null: it is not set. */
  bound(caps: Caps, running: Running): Pick<CapBound, "max" | "used"> | null;
  /** Gives its counter the bound. Absent: it has none. */
  close?(counters: Counters, bound: Pick<CapBound, "max" | "used">): void;
  without(caps: Caps): Caps;
}

interface Figures {
  readonly max: number;
  readonly used: number;
}

export type LimitCharge = Omit<Charge, "limit">;

/** Where a node is. */
export interface Place {
  readonly cluster: Pick<Cluster, "name">;
  readonly array: NodeArray;
  readonly vmSize: string;
  /** Undefined: the array has no such size. */
  readonly size: Bucket | undefined;
  readonly placementGroup: string | null;
}

/** Where new nodes are made. */
export interface Home extends Place {
  readonly size: Bucket;
}

/** What is higher in the input by `more`, in the unit of the limit; of arrays and sizes only those in its scope. */
interface Raise {
  cluster?(cluster: Cluster, by: By): Partial<Cluster>;
  array?(array: NodeArray, by: By): Partial<NodeArray>;
  size?(limits: BucketLimits, by: By): Partial<BucketLimits>;
  caps?(caps: Caps, by: By): Partial<Caps>;
}

/** Declarations of the library name it. @public */
export interface By {
  readonly unit: "nodes" | "cores" | "usd";
  readonly more: number;
}
