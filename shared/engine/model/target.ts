import type { Json } from "../values/resources.ts";
import type { TargetReason } from "./reasons.ts";

/** A floor under the nodes of an array, whether jobs need them or not, or under those that no job uses. */
export interface Target {
  /** What its nodes are accounted to: an array, a dynamic array, or groups of one (`execute:64`). */
  readonly name: string;
  /** CycleCloud's array, which they are made from. */
  readonly nodeArray: string;
  /** Null: they are plain nodes of the array. Else its name, which sets them apart from those. */
  readonly dynamicArray: string | null;
  readonly wish: TargetWish;
  /** VM sizes of new nodes, best first; empty: the array's own, in CycleCloud's order. */
  readonly vmSizes: readonly string[];
  /** Cores that one node counts for; null: the vcpus of its VM size. */
  readonly coresPerNode: number | null;
  /** Attributes of new nodes; they win over those of the settings and the array. */
  readonly nodeAttributes: { readonly [key: string]: Json };
  /** Who wants it. */
  readonly requestSet: string;
}

/** `cores` are usable vcpus, as jobs see them. A group is of one VM size and in a placement group of its own. */
export type TargetWish =
  | { readonly kind: "nodes"; readonly count: number }
  | { readonly kind: "cores"; readonly count: number }
  | { readonly kind: "groups"; readonly count: number; readonly size: GroupSize }
  | SpareWish;

/** Nodes on which no job runs or is planned, beside those that jobs use: `count`, or so many of 100 of those, whichever is more. */
export interface SpareWish {
  readonly kind: "spares";
  readonly count: number;
  readonly perCent: number;
}

export type GroupSize =
  | { readonly kind: "nodes"; readonly count: number }
  | { readonly kind: "cores"; readonly count: number };

/** How far a target was met. */
export interface TargetOutcome {
  readonly name: string;
  readonly nodeArray: string;
  readonly dynamicArray: string | null;
  readonly requestSet: string;
  /** The unit of `asked` and `granted`. */
  readonly unit: TargetWish["kind"];
  readonly asked: number;
  readonly granted: number;
  /** Nodes that count towards it, those that the plan makes included. */
  readonly nodes: number;
  readonly groups: readonly TargetGroup[];
  /** Why it was not met in full, at most one per VM size. */
  readonly reasons: readonly TargetReason[];
}

/** One complete group: its id is also its placement group. */
export interface TargetGroup {
  readonly id: string;
  readonly vmSize: string;
  readonly nodes: number;
}
