import type { BucketDefinition } from "./definition.ts";
import { keyOf } from "./quota-limits.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** "refuse": creates add nothing. "fail": nodes are added and then fail, as Azure's allocation does. */
export type Drought = "refuse" | "fail";

/** The weather over one cluster: what Azure cannot give at the moment, and when it last could not. */
export interface Conditions {
  drought(bucket: BucketDefinition): Drought | undefined;
  setDrought(bucket: BucketDefinition, drought: Drought | undefined): void;
  /** New nodes of this bucket never leave this status. */
  stuckIn(bucket: BucketDefinition): "Acquiring" | "Preparing" | undefined;
  setStuck(bucket: BucketDefinition, status: "Acquiring" | "Preparing" | undefined): void;
  noteCapacityFailure(bucket: BucketDefinition, at: number): void;
  /** Learns the allocation failures of these nodes up to `at`. */
  learn(nodes: Iterable<SimulatedNode>, at: number): void;
  /** Seconds since the last capacity failure; -1 for never. */
  sinceCapacityFailure(bucket: BucketDefinition, at: number): number;
}

export function createConditions(): Conditions {
  const droughts = new Map<string, Drought>();
  const stuck = new Map<string, "Acquiring" | "Preparing">();
  const failures = new Map<string, number>();

  function note(bucket: BucketDefinition, at: number): void {
    const key = keyOf(bucket);
    failures.set(key, Math.max(at, failures.get(key) ?? at));
  }

  return {
    drought: (bucket) => droughts.get(keyOf(bucket)),
    setDrought: (bucket, drought) => assign(droughts, keyOf(bucket), drought),
    stuckIn: (bucket) => stuck.get(keyOf(bucket)),
    setStuck: (bucket, status) => assign(stuck, keyOf(bucket), status),
    noteCapacityFailure: note,
    learn(nodes, at) {
      for (const { bucket, life } of nodes) {
        for (const step of life) if (step.capacityFailure && step.at <= at) note(bucket, step.at);
      }
    },
    sinceCapacityFailure(bucket, at) {
      const last = failures.get(keyOf(bucket));
      return last === undefined ? -1 : at - last;
    },
  };
}

function assign<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
