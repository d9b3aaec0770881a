import type { BucketView } from "../../../shared/api/index.ts";
import type { GroupedNode } from "../../../shared/names/node-groups.ts";

/** A node as the map shows it, now or in the past. */
export interface MapNode extends GroupedNode {
  readonly name: string;
  readonly vcpuCount: number | null;
  readonly state: string;
  readonly jobs: readonly { readonly job: string }[];
  /** What it does, since when: `idle`, `up`. */
  readonly since: { readonly what: string; readonly atSeconds: number } | undefined;
  /** The share of its cores that jobs have; null: not known. */
  readonly busy: number | null;
  readonly usdPerHour: number | null;
  /** Nodes of the past keep their place in their group while time goes on. */
  readonly slot?: number;
}

export type MapBucket = Pick<
  BucketView,
  | "nodeArray"
  | "vmSize"
  | "spot"
  | "placementGroup"
  | "location"
  | "enabled"
  | "valid"
  | "invalidReason"
  | "availableCount"
  | "binding"
  | "limits"
  | "usdPerHour"
  | "vm"
>;
