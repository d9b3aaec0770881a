import type { Scalar } from "../values/resources.ts";
import type { NodeProperty } from "./node-properties.ts";
import type { SharedDraw } from "./shared-pool.ts";

/** A node that constraints are checked against: an existing, a planned or an example one. */
export interface Subject {
  property(name: NodeProperty): Scalar;
  /** The amount before any job; undefined if it has no such resource. */
  resource(name: string): Scalar | undefined;
  /** The amount left of a resource, sizes in bytes; minus infinity if it has none, or no number. */
  left(name: string): number;
  /** Whether no job is on it. */
  readonly vacant: boolean;
  readonly placementGroup: string | null;
  readonly secondsSinceCapacityFailure: number | null;
  /** The amount left of a shared pool; undefined if nobody defines the pool. */
  poolLeft(draw: SharedDraw): number | undefined;
}
