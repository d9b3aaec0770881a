import { Counters, type LimitsInput } from "../limits/counters.ts";
import { limits } from "../limits/limits.ts";
import type { Charge } from "../limits/quota.ts";
import type { Bucket, Cluster, NodeArray } from "../model/bucket.ts";
import type { Running } from "../model/caps.ts";
import { capNames, limitNames } from "../model/limits.ts";

/**
 * The limits of every bucket as shared counters: a node made in one bucket lowers them for every bucket of the same region,
 * family, array, VM size or placement group.
 */
export class Limits {
  readonly #arrays: ReadonlyMap<string, NodeArray>;
  readonly #cluster: Cluster;
  readonly #counters: Counters;

  constructor(input: LimitsInput) {
    this.#arrays = new Map(input.cluster.nodeArrays.map((array) => [array.name, array]));
    this.#cluster = input.cluster;
    this.#counters = new Counters(input);
  }

  /** The array of that name unless it is switched off or unknown. */
  enabledArray(name: string): NodeArray | null {
    const array = this.#arrays.get(name);
    return array?.enabled ? array : null;
  }

  chargesOf(array: NodeArray, size: Bucket, placementGroup: string | null): readonly Charge[] {
    const home = { cluster: this.#cluster, array, vmSize: size.vmSize, size, placementGroup };
    const all: Charge[] = [];
    for (const limit of limitNames)
      for (const { scope, unit, quota, perNode } of limits[limit].charges(home, this.#counters))
        all.push({ limit, scope, unit, quota, perNode });
    return all;
  }

  /** Sets what the caps allow: after the nodes on order, which are no new ones, and before anything is planned. */
  closeCaps(running: Running): void {
    const { caps } = this.#counters.input;
    if (caps === undefined) return;
    this.#counters.openPools(running.reservedNodes);
    for (const name of capNames) {
      const bound = limits[name].bound(caps, running);
      if (bound !== null) limits[name].close?.(this.#counters, bound);
    }
  }
}
