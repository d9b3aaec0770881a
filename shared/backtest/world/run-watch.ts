import type { ArchivedPlan } from "../../ports/index.ts";
import type { SimulatedNode } from "../../simulated-cyclecloud/index.ts";

/** For those who look at single nodes and plans. */
export interface RunWatch {
  /** The node is gone; its timetable has all of its life. */
  readonly gone: (node: SimulatedNode) => void;
  readonly planned: (plan: ArchivedPlan) => void;
}
