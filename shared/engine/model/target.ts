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
  /** When nobody wants it any more, if nobody asks again. Absent: nothing ends it. */
  readonly untilSeconds?: number;
}

/** A target that keeps a node, or counts one that jobs need. */
export type NodeTarget = Pick<Target, "name" | "requestSet" | "untilSeconds">;

/** `cores` are usable vcpus, as jobs see them; `gpus` those of the VM size. A group is of one VM size and in a placement group of its own. */
export type TargetWish =
  | { readonly kind: "nodes"; readonly count: number }
  | { readonly kind: "cores"; readonly count: number }
  | { readonly kind: "gpus"; readonly count: number }
  | { readonly kind: "groups"; readonly count: number; readonly size: GroupSize }
  | SpareWish;

/** Room beside what jobs use: `count`, or so many of 100 of what they use, whichever is more. */
export type SpareWish = SpareCounts &
  (
    | { /** Nodes on which no job runs or is planned. */ readonly kind: "spares" }
    | {
        /** Slots of one shape, on nodes that run or are on order, also beside jobs. */
        readonly kind: "slots";
        /** What a slot takes of a node, as jobs ask for it: sizes in their own unit, such as `memgb`. */
        readonly slot: Readonly<Record<string, number>>;
      }
  );

interface SpareCounts {
  readonly count: number;
  readonly perCent: number;
  /** What an hour of the nodes that nobody else needs may cost. Absent: no limit. */
  readonly mostUsdPerHour?: number;
}

export type GroupSize =
  | { readonly kind: "nodes"; readonly count: number }
  | { readonly kind: "cores"; readonly count: number };

/** Nodes that only one target needs. */
export interface KeptNodes {
  readonly nodes: number;
  /** Null: the price of one is not known. */
  readonly usdPerHour: number | null;
}

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
  /** Only for spare nodes and slots. */
  readonly kept?: KeptNodes;
  /** Why it was not met in full, at most one per VM size. */
  readonly reasons: readonly TargetReason[];
}

/** One complete group: its id is also its placement group. */
export interface TargetGroup {
  readonly id: string;
  readonly vmSize: string;
  readonly nodes: number;
}
