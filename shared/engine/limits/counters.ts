import type { Cluster } from "../model/bucket.ts";
import { isAtRest } from "../model/caps.ts";
import type { CoreQuota, HoldName } from "../model/limits.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Reservation } from "../model/price.ts";
import { Quota } from "./quota.ts";
import { ReservedPool } from "./reserved-quota.ts";

export type LimitsInput = Pick<PlanInput, "cluster" | "settings" | "caps" | "spotShares" | "heldSizes">;

type Key = readonly string[];

/** The shared counters of one plan: a node made in one bucket lowers them for every bucket that draws on them. */
export class Counters {
  readonly input: LimitsInput;
  readonly inUse: InUse;
  /** By `keyOf` array and VM size; of two holds on one size the later in the input counts. */
  readonly holds: ReadonlyMap<string, HoldName>;
  readonly #quotas = new Map<string, Quota>();
  readonly #reserved = new Map<string, ReservedPool>();

  constructor(input: LimitsInput) {
    this.input = input;
    this.inUse = inUseOf(input.cluster);
    this.holds = new Map(
      (input.heldSizes ?? []).map(({ nodeArray, vmSize, hold }) => [keyOf(nodeArray, vmSize), hold]),
    );
  }

  /** One counter per key; buckets that report different figures for it get the stricter ones. */
  quota(key: Key, max: number, used: number): Quota {
    const quota = this.once(key, () => new Quota(max, used));
    quota.atMost(max, used);
    return quota;
  }

  coreQuota(key: Key, { maxCores, usedCores, mostLeftCores }: CoreQuota): Quota {
    const quota = this.quota(key, maxCores, usedCores);
    if (mostLeftCores !== undefined) quota.cutTo(mostLeftCores);
    return quota;
  }

  /** Without bounds until it is closed: nodes on order are charged to every bucket before, and count in their own way here. */
  unbounded(key: Key): Quota {
    return this.once(key, () => new Quota(Number.POSITIVE_INFINITY, 0));
  }

  once(key: Key, make: () => Quota): Quota {
    const text = keyOf(...key);
    const known = this.#quotas.get(text);
    if (known !== undefined) return known;
    const made = make();
    this.#quotas.set(text, made);
    return made;
  }

  /** One for all buckets of a reservation; undefined: the bucket has none. */
  poolOf(reservation: Reservation | undefined): ReservedPool | undefined {
    if (reservation === undefined) return undefined;
    const pool = this.#reserved.get(reservation.name) ?? new ReservedPool(reservation);
    this.#reserved.set(reservation.name, pool);
    return pool;
  }

  /** Takes off reservations what nodes that are there or on order use. */
  openPools(reservedNodes: ReadonlyMap<string, number>): void {
    for (const [name, pool] of this.#reserved) pool.open(reservedNodes.get(name) ?? 0);
  }
}

/** What the nodes of a cluster use before a plan. */
export interface InUse {
  /** Of all nodes, head nodes and those at rest included. */
  readonly cores: number;
  /** Head nodes belong to no array, and CycleCloud's maximum is that of nodes that can be added. */
  readonly nodes: number;
  /** By array, without those at rest. */
  readonly byArray: ReadonlyMap<string, { readonly nodes: number; readonly cores: number }>;
  /** Nodes by `keyOf` array, VM size and placement group, without those at rest. */
  readonly byGroup: ReadonlyMap<string, number>;
}

export const nothingUsed = { nodes: 0, cores: 0 };

function inUseOf({ nodeArrays, nodes }: Cluster): InUse {
  const arrays = new Set(nodeArrays.map(({ name }) => name));
  const vcpus = new Map(
    nodeArrays.flatMap(({ name, buckets }) =>
      buckets.map(({ vmSize, vm }) => [keyOf(name, vmSize), vm.vcpuCount] as const),
    ),
  );
  const byArray = new Map<string, { nodes: number; cores: number }>();
  const byGroup = new Map<string, number>();
  let [all, active] = [0, 0];
  for (const node of nodes) {
    const cores = vcpus.get(keyOf(node.nodeArray, node.vmSize)) ?? 0;
    all += cores;
    if (isAtRest(node)) continue;
    if (arrays.has(node.nodeArray)) active += 1;
    const used = byArray.get(node.nodeArray) ?? nothingUsed;
    byArray.set(node.nodeArray, { nodes: used.nodes + 1, cores: used.cores + cores });
    if (node.placementGroup === null) continue;
    const group = keyOf(node.nodeArray, node.vmSize, node.placementGroup);
    byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
  }
  return { cores: all, nodes: active, byArray, byGroup };
}

/** No name has a NUL in it. */
export function keyOf(...parts: readonly string[]): string {
  return parts.join("\0");
}
