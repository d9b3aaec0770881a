import type { NodeProperty, SharedDraw } from "../model/constraint.ts";
import type { Scalar } from "../model/resources.ts";

/** What constraints are asked of: an existing, planned or example node. */
export interface Subject {
  property(name: NodeProperty): Scalar;
  /** What it was born with; undefined when it has no such resource. */
  resource(name: string): Scalar | undefined;
  /** What is left of a resource, sizes in bytes; minus infinity when it has none, or no number. */
  left(name: string): number;
  /** Whether no job is on it. */
  readonly vacant: boolean;
  readonly placementGroup: string | null;
  readonly secondsSinceCapacityFailure: number | null;
  /** What is left of a shared pool; undefined when nobody defines it. */
  poolLeft(draw: SharedDraw): number | undefined;
}
