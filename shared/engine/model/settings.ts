import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { NodeProperty } from "../constraints/node-properties.ts";
import type { SharedPool } from "../constraints/shared-pool.ts";
import type { Json, Scalar } from "../values/resources.ts";
import { type DemandCaps, defaultDemandCaps } from "./demand-caps.ts";
import type { PlacementPolicy } from "./placement.ts";

/** The parsed part of a cluster's `autoscale.json` that the engine needs. Plain JSON data. */
export interface EngineSettings {
  /** In order: for a node and a name, the first entry whose `select` matches wins. */
  readonly defaultResources: readonly DefaultResource[];
  /** Drops the system default resources (ncpus, memgb, ...). */
  readonly disableDefaultResources: boolean;
  readonly idleTimeoutSeconds: IdleTimeouts;
  readonly bootTimeoutSeconds: PerNodeArray<number>;
  /** Predefined placement groups: an array has those of `default` and its own. */
  readonly placementGroups: PerNodeArray<readonly string[]>;
  /** How many groups to generate; null: none are generated. */
  readonly generatedPlacementGroups: GeneratedPlacementGroups | null;
  /** Absent: as `failedNodePolicy` says. */
  readonly failedNodes?: FailedNodePolicy;
  /** With `keep`: how many failed nodes are kept at a time, and for how long each. Absent: `keptByDefault`. */
  readonly keptFailedNodes?: KeptFailedNodes;
  /**
   * What `{"exclusive": true}` keeps to itself. `iteration` is the documented meaning: one slot per node. `job`
   * is what scalelib does: all slots of the job that fit (the same as `exclusive-task`).
   */
  readonly exclusiveScope: "iteration" | "job";
  /**
   * Set for clusters that rely on what scalelib does where it differs from its documentation without being listed
   * anywhere (docs/migrate-from-scalelib.md, differences 10 to 12 and 17): `exclusiveScope: "job"`, part-used nodes are passed over once a bucket
   * has no untouched or new ones to offer, nodes of invalid buckets are ignored, and failed nodes take jobs.
   */
  readonly compatibility?: "scalelib";
  /** How jobs come to nodes; `placementOf` has the value that counts. */
  readonly placement: PerNodeArray<PlacementPolicy>;
  /** Names of new nodes, with one `%d` for the index; null: `<nodearray>-%d`. */
  readonly nameFormat: PerNodeArray<string | null>;
  /** Extra attributes of new nodes, sent along with the create request. */
  readonly nodeAttributes: PerNodeArray<{ readonly [key: string]: Json }>;
  /** Whether new nodes are created keep-alive. */
  readonly keepAlive: PerNodeArray<boolean>;
  /** How many idle nodes are deallocated instead of deleted; null: none. Absent: none of any array. */
  readonly deallocate?: PerNodeArray<DeallocateSettings | null>;
  /** Names, node ids or hostnames (shell wildcards allowed) of nodes that take no jobs and are never touched. */
  readonly ignoredNodes: readonly string[];
  /** Shared pools known in advance; they win over what jobs declare for the same pool. */
  readonly sharedPools: readonly SharedPool[];
  /** Absent members have their defaults. */
  readonly demandCaps?: Partial<DemandCaps>;
}

/** The caps with what was not configured filled in. */
export function demandCapsOf({ demandCaps }: Pick<EngineSettings, "demandCaps">): DemandCaps {
  return { ...defaultDemandCaps, ...demandCaps };
}

/** Deallocated nodes that an array keeps: they start sooner than a new node boots, and cost what their disks cost. */
export interface DeallocateSettings {
  readonly most: number;
  /** Since the node was made: an older one is deleted, so that new images and configurations come into use. */
  readonly maxAgeSeconds: number;
  /** All disks of one node, in US dollars; null: not known. */
  readonly diskUsdPerHour: number | null;
}

/** When idle nodes go. */
export interface IdleTimeouts extends PerNodeArray<number> {
  /** Of arrays whose time-out is set anew for each plan, in place of the number; null: the number stands. Absent: of none. */
  readonly auto?: PerNodeArray<IdleBounds | null>;
}

/** Between which an idle time-out is set. */
export interface IdleBounds {
  readonly leastSeconds: number;
  readonly mostSeconds: number;
}

/** A setting that each node array may have its own value for. */
export interface PerNodeArray<T> {
  readonly default: T;
  readonly byNodeArray: Readonly<Record<string, T>>;
}

/**
 * What happens to failed nodes. They take no jobs: what their jobs need is planned anew at once, whatever the policy.
 * `keep`: some are left for a look, for a while.
 */
export type FailedNodePolicy = "delete" | "keep" | "retry";

/** How many failed nodes `keep` leaves at a time, and for how long each. */
export interface KeptFailedNodes {
  readonly most: number;
  readonly seconds: number;
}

export const keptByDefault: KeptFailedNodes = { most: 3, seconds: 3_600 };

/** The policy that counts. scalelib keeps failed nodes unless told otherwise. */
export function failedNodePolicy({
  failedNodes,
  compatibility,
}: Pick<EngineSettings, "failedNodes" | "compatibility">): FailedNodePolicy {
  return failedNodes ?? (compatibility === "scalelib" ? "keep" : "delete");
}

/** Whether failed nodes take jobs, as scalelib has it. Nowhere else do they. */
export function usesFailedNodes(settings: Pick<EngineSettings, "failedNodes" | "compatibility">): boolean {
  return settings.compatibility === "scalelib" && failedNodePolicy(settings) !== "delete";
}

/** Spare groups to keep per (node array, VM size), and how many groups there may be at most. */
export interface GeneratedPlacementGroups {
  readonly buffer: PerNodeArray<number>;
  readonly max: PerNodeArray<number>;
}

/** One entry of `default_resources`; `parseDefaultResources` reads them. */
export interface DefaultResource {
  /** Which nodes it is for; empty: all. */
  readonly select: readonly Constraint[];
  readonly name: string;
  readonly value: DefaultValue;
  readonly modifier: Modifier | null;
}

/** Where the value of a default resource comes from. `plain` takes the number of a size without its unit. */
export type DefaultValue =
  | { readonly kind: "literal"; readonly value: Scalar }
  | { readonly kind: "property"; readonly property: NodeProperty }
  | { readonly kind: "resource"; readonly name: string; readonly plain: boolean }
  | { readonly kind: "software-configuration"; readonly path: readonly string[] };

/** At most one per entry. `divide-floor` rounds down. */
export interface Modifier {
  readonly operation: "add" | "subtract" | "multiply" | "divide" | "divide-floor";
  readonly operand: DefaultValue;
}

/** The setting of one node array. */
export function forNodeArray<T>(setting: PerNodeArray<T>, nodeArray: string): T {
  return Object.hasOwn(setting.byNodeArray, nodeArray)
    ? (setting.byNodeArray[nodeArray] as T)
    : setting.default;
}

/** The settings of a cluster that configures nothing. */
export const defaultSettings: EngineSettings = {
  defaultResources: [],
  disableDefaultResources: false,
  idleTimeoutSeconds: { default: 300, byNodeArray: {} },
  bootTimeoutSeconds: { default: 1800, byNodeArray: {} },
  placementGroups: { default: [], byNodeArray: {} },
  generatedPlacementGroups: null,
  exclusiveScope: "iteration",
  placement: { default: "reuse", byNodeArray: {} },
  nameFormat: { default: null, byNodeArray: {} },
  nodeAttributes: { default: {}, byNodeArray: {} },
  keepAlive: { default: false, byNodeArray: {} },
  ignoredNodes: [],
  sharedPools: [],
};
