import {
  type Cluster,
  type Constraint,
  type EngineSettings,
  largestShare,
  type NodeKind,
  parseConstraints,
  type Resources,
  resourcesOfSizes,
} from "../../engine/index.ts";
import type { Capacity } from "../queue/hosts.ts";
import type { JobShape } from "../queue/job-shape.ts";

/** A power of two, so that shares of it are exact. */
const probe = 2 ** -10;
const resourceOf = { ncpus: "ncpus", memoryGiB: "memgb", gpus: "ngpus" } as const;

/** Resources of each VM size for jobs as the planner computes them, default resources included. */
export class HostCapacity {
  readonly #resourcesOf: ReturnType<typeof resourcesOfSizes>;
  readonly #capacities = new Map<string, Capacity>();
  readonly #shares = new Map<JobShape, Map<string, number>>();

  constructor(cluster: Cluster, settings: EngineSettings) {
    this.#resourcesOf = resourcesOfSizes(cluster, settings);
  }

  of(nodeArray: string, vmSize: string): Capacity {
    const key = `${nodeArray}/${vmSize}`;
    const knownCapacity = this.#capacities.get(key);
    if (knownCapacity !== undefined) return knownCapacity;
    const resources = this.#resourcesOf(nodeArray, vmSize) ?? {};
    const has = (name: string) => probe / largestShare(wanting(name), resources);
    const capacity: Capacity = {
      ncpus: has(resourceOf.ncpus),
      memoryGiB: has(resourceOf.memoryGiB),
      gpus: has(resourceOf.gpus),
    };
    this.#capacities.set(key, capacity);
    return capacity;
  }

  /** The share of such a node that one part of a job takes. */
  shareOf(shape: JobShape, constraints: () => readonly Constraint[], size: NodeKind): number {
    const bySize = this.#shares.get(shape) ?? new Map<string, number>();
    this.#shares.set(shape, bySize);
    const key = `${size.nodeArray}/${size.vmSize}`;
    const knownShare = bySize.get(key);
    if (knownShare !== undefined) return knownShare;
    const resources: Resources = this.#resourcesOf(size.nodeArray, size.vmSize) ?? {};
    const share = largestShare(
      { constraints: constraints(), exclusive: shape.need.exclusive === "part" },
      resources,
    );
    bySize.set(key, share);
    return share;
  }
}

function wanting(resource: string): {
  readonly constraints: readonly Constraint[];
  readonly exclusive: boolean;
} {
  const parsed = parseConstraints({ [resource]: probe });
  return { constraints: parsed.ok ? parsed.constraints : [], exclusive: false };
}
