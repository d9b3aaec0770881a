import type { Definitions } from "./definitions.ts";
import type { GridengineSettings } from "./gridengine-settings.ts";
import type { Details } from "./memory.ts";
import type { Place } from "./places.ts";
import type { Pools } from "./pools.ts";

/** What job records are read with. */
export interface JobContext {
  readonly settings: GridengineSettings;
  readonly nowSeconds: number;
  readonly definitions: Definitions;
  readonly places: readonly Place[];
  readonly details: ReadonlyMap<string, Details>;
  /** Tasks of each array that run now, by the array's number. */
  readonly runningTasks: ReadonlyMap<string, number>;
  readonly consumables: (place: Place) => ReadonlyMap<string, number>;
  /** Of a node, in all its queues. */
  readonly slotsOf: (array: string) => number;
  /** What a job takes of a queue's own slots, where nodes have queues that do not take it. */
  readonly slotsIn: (places: readonly Place[], slots: number) => Readonly<Record<string, number>>;
  readonly pools: Pools;
  /** Why new nodes would take no job of a queue, by its name. */
  readonly closedQueues: ReadonlyMap<string, string>;
}
