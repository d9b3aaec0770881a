import type { BucketDefinition } from "./definition.ts";
import { keyOf } from "./quota-limits.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** "refuse": creates add nothing. "fail": nodes are added and then fail, as Azure's allocation does. */
type Drought = "refuse" | "fail";

/** The status in which new nodes stay for ever. */
type Stuck = "Acquiring" | "Preparing";

/** Boots whose software configuration fails: the next `next` of them, or a share of all, 0 to 1. */
interface FailingBoots {
  readonly next?: number | undefined;
  readonly share?: number | undefined;
  /** What CycleCloud says of the failed node. */
  readonly message: string;
}

/** What is wrong with one bucket at the moment. */
export interface BucketWeather {
  readonly drought?: Drought | undefined;
  readonly stuck?: Stuck | undefined;
  readonly failingBoots?: FailingBoots | undefined;
  /** Boots take this many times as long as drawn. */
  readonly bootFactor?: number | undefined;
}

const fair: BucketWeather = {};

export type Conditions = ReturnType<typeof createConditions>;

/** The weather over one cluster: what Azure cannot give at the moment, and when it last could not. */
export function createConditions() {
  const weather = new Map<string, BucketWeather>();
  const failures = new Map<string, number>();

  function note(bucket: BucketDefinition, at: number): void {
    const key = keyOf(bucket);
    failures.set(key, Math.max(at, failures.get(key) ?? at));
  }

  /** Changes what `change` names; undefined: as it should be. */
  function set(bucket: BucketDefinition, change: BucketWeather): void {
    weather.set(keyOf(bucket), { ...weather.get(keyOf(bucket)), ...change });
  }

  return {
    of: (bucket: BucketDefinition): BucketWeather => weather.get(keyOf(bucket)) ?? fair,
    set,
    /** Why this boot fails, if it does; counts it. `luck`: drawn from 0 to 1. */
    failBoot(bucket: BucketDefinition, luck: number): string | undefined {
      const failing = weather.get(keyOf(bucket))?.failingBoots;
      if (failing === undefined) return undefined;
      const { next, share, message } = failing;
      if (next === undefined) return luck < (share ?? 0) ? message : undefined;
      set(bucket, { failingBoots: next > 1 ? { ...failing, next: next - 1 } : undefined });
      return message;
    },
    /** Good weather everywhere. When Azure last had no capacity stays known. */
    clear: () => weather.clear(),
    noteCapacityFailure: note,
    /** Learns the allocation failures of these nodes up to `at`. */
    learn(nodes: Iterable<SimulatedNode>, at: number): void {
      for (const { bucket, life } of nodes) {
        for (const step of life) if (step.capacityFailure && step.at <= at) note(bucket, step.at);
      }
    },
    /** Seconds since the last capacity failure; -1 for never. */
    sinceCapacityFailure(bucket: BucketDefinition, at: number): number {
      const last = failures.get(keyOf(bucket));
      return last === undefined ? -1 : at - last;
    },
  };
}
