import type { Scalar } from "./resources.ts";
import type { Size } from "./units.ts";

/**
 * What a job asks of a node, parsed. Plain JSON data, so that a plan's input can be archived and replayed.
 * `parseConstraints` is the only way in from JSON.
 */
export type Constraint =
  | MinimumResource
  | ResourceOptions
  | PropertyOptions
  | Exclusive
  | PlacementGroupMembership
  | And
  | Or
  | Xor
  | Not
  | Never
  | SharedConsumable
  | SharedValue
  | CapacityFailureBackoff
  | ArrayChoice;

/** The node has at least this much left, and gives it up. A plain number of a size is in that size's own unit. */
export interface MinimumResource {
  readonly kind: "minimum-resource";
  readonly resource: string;
  readonly amount: number | Size;
}

/** The resource equals one of the options; strings may hold shell wildcards. Consumes nothing. */
export interface ResourceOptions {
  readonly kind: "resource-options";
  readonly resource: string;
  readonly options: readonly Scalar[];
}

/** The `node.` property equals one of the options; strings may hold shell wildcards. Consumes nothing. */
export interface PropertyOptions {
  readonly kind: "property-options";
  readonly property: NodeProperty;
  readonly options: readonly Scalar[];
}

/** `iteration`: every iteration has its node to itself. `task`: only iterations of the same job share it. */
export interface Exclusive {
  readonly kind: "exclusive";
  readonly scope: "iteration" | "task";
}

/** The node is in some placement group (true) or in none (false). */
export interface PlacementGroupMembership {
  readonly kind: "in-a-placement-group";
  readonly wanted: boolean;
}

export interface And {
  readonly kind: "and";
  readonly all: readonly Constraint[];
}

/** The first child that matches is the one that consumes. */
export interface Or {
  readonly kind: "or";
  readonly any: readonly Constraint[];
}

/** Exactly one child matches, and that one consumes. */
export interface Xor {
  readonly kind: "xor";
  readonly oneOf: readonly Constraint[];
}

/** Matches where its child does not; consumes nothing. */
export interface Not {
  readonly kind: "not";
  readonly child: Constraint;
}

export interface Never {
  readonly kind: "never";
  readonly message: string;
}

/** Draws from every pool named, or from none of them. */
export interface SharedConsumable {
  readonly kind: "shared-consumable";
  readonly draws: readonly SharedDraw[];
}

/** One draw from a pool that all jobs share (licences, the quota of a queue), per slot or node unless `once`. */
export interface SharedDraw {
  /** The pool's identity is its name and its source: a queue and a server may both limit "licences". */
  readonly pool: string;
  readonly source: string | null;
  readonly amount: number;
  /** A job draws once, however many slots or nodes it gets. */
  readonly once: boolean;
  /** The pool as the demand describes it; the settings' or the first job's description counts. Null: defined elsewhere. */
  readonly initial: number | null;
  readonly current: number | null;
}

/** A pool: what it holds when nobody draws, and what is left now. A null source stands for every source. */
export interface SharedPool {
  readonly name: string;
  readonly source: string | null;
  readonly initial: number;
  readonly current: number;
}

/** A shared value (a version, say) must equal the target. */
export interface SharedValue {
  readonly kind: "shared-value";
  readonly name: string;
  readonly source: string | null;
  readonly current: Scalar;
  readonly target: Scalar;
}

/** Skips a bucket whose last capacity failure is younger than this. */
export interface CapacityFailureBackoff {
  readonly kind: "capacity-failure-backoff";
  readonly seconds: number;
}

/** Which node arrays the cycle lets a job use, and which come first. Nobody can ask for it in JSON. */
export interface ArrayChoice {
  readonly kind: "array-choice";
  /** Preferred to all others of the same priority. */
  readonly first: readonly string[];
  /** The first of these that names a node's array refuses it. */
  readonly off: readonly ArraysOff[];
}

/** Why a job stays off some node arrays. */
export interface ArraysOff {
  readonly nodeArrays: readonly string[];
  readonly code: (typeof arraysOffCodes)[number];
  /** The setting that it is beyond; the job's own figure would make a shape of every job. */
  readonly bound: number | boolean;
}

/** Why a job stays off spot arrays. */
export const arraysOffCodes = [
  "SpotNotInterruptible",
  "SpotRunTimeTooLong",
  "SpotEvictedTooOften",
  "SpotPatienceOver",
] as const;

/** Every `node.<name>` that constraints and default resources can use. */
export const nodeProperties = [
  "name",
  "nodearray",
  "bucket_id",
  "vm_size",
  "vm_family",
  "hostname",
  "fqdn",
  "hostname_or_uuid",
  "private_ip",
  "location",
  "spot",
  "vcpu_count",
  "pcpu_count",
  "gpu_count",
  "cores_per_socket",
  "memory",
  "infiniband",
  "colocated",
  "placement_group",
  "state",
  "exists",
  "instance_id",
  "keep_alive",
  "version",
  "create_time",
  "create_time_unix",
  "create_time_remaining",
  "last_match_time",
  "last_match_time_unix",
  "delete_time",
  "delete_time_unix",
] as const;

export type NodeProperty = (typeof nodeProperties)[number];

/** Why a piece of JSON is no constraint or default resource. */
export interface Problem {
  /** Where it is, as a path into the JSON: `[0].or[1].ncpus`. */
  readonly path: string;
  readonly message: string;
}

/** Shows a value in an error message, cut short: messages go to logs. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The path of a member: `parent.key`, or `parent["a b"]` when the key is no plain name. */
export function member(path: string, key: string): string {
  return /^[\w.-]+$/.test(key) ? `${path}${path === "" ? "" : "."}${key}` : `${path}[${JSON.stringify(key)}]`;
}
