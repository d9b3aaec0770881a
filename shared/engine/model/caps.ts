import type { Bucket, Cluster, ClusterNode, NodeArray } from "./bucket.ts";
import type { CapName } from "./limits.ts";
import type { PendingNodes } from "./node.ts";
import { type Charge, Quota } from "./quota.ts";
import { coverNodes, ReservedPool, ReservedQuota } from "./reserved.ts";

/**
 * Limits of the operator's own, over those of CycleCloud and Azure; null: none. They hold back new nodes and starts,
 * never a deletion.
 */
export interface Caps {
  /** New nodes and starts of one plan. */
  readonly maxNodesPerPlan: number | null;
  /** Usable vcpus of all nodes of the node arrays that are not at rest: existing, on order, and new. */
  readonly maxCores: number | null;
  readonly budget: Budget | null;
}

/**
 * Money for a calendar month. A node is bought only while what is left pays for an hour of it and of all that run.
 * A size whose price is not known is not bought at all: "cannot tell" is not "free".
 */
export interface Budget {
  readonly maxUsd: number;
  readonly spentUsd: number;
}

/** How much existing nodes and nodes on order use. */
export interface Running {
  readonly cores: number;
  readonly usdPerHour: number;
  /** Nodes whose price is not known; the sum leaves them out. */
  readonly unpricedNodes: number;
  /** Nodes that reservations pay, by the name of each; the sum leaves them out. */
  readonly reservedNodes: ReadonlyMap<string, number>;
}

/** Terminating nodes still count; those that reached the end (Deallocated, Terminated, Off) do not. */
export function isAtRest(node: Pick<ClusterNode, "status" | "targetState">): boolean {
  return node.targetState === node.status && node.targetState !== "Started";
}

/**
 * Counts nodes of node arrays, switched-off ones included; head nodes belong to no array. A node whose size is in no
 * bucket counts as the largest size of its array, because its cores are unknown.
 */
export function runningIn(cluster: Cluster, pending: readonly PendingNodes[] = []): Running {
  const arrays = new Map(cluster.nodeArrays.map((array) => [array.name, array]));
  const moving = new Set(cluster.nodes.filter((node) => !isAtRest(node)).map((node) => node.name));
  let [cores, unpricedNodes] = [0, 0];
  const nodesOf = new Map<Bucket, number>();
  const count = (nodeArray: string, vmSize: string, nodes: number) => {
    const array = arrays.get(nodeArray);
    if (array === undefined || nodes === 0) return;
    const size = array.buckets.find((bucket) => bucket.vmSize === vmSize);
    cores += nodes * (size?.vm.vcpuCount ?? largestOf(array));
    if (size === undefined) unpricedNodes += nodes;
    else nodesOf.set(size, (nodesOf.get(size) ?? 0) + nodes);
  };
  for (const node of cluster.nodes) if (!isAtRest(node)) count(node.nodeArray, node.vmSize, 1);
  for (const order of pending) {
    const seen = (order.names ?? []).filter((name) => moving.has(name)).length;
    count(order.nodeArray, order.vmSize, order.count - seen);
  }
  let microUsd = 0;
  const reservedNodes = new Map<string, number>();
  for (const { bucket, nodes, reserved } of coverNodes(nodesOf)) {
    const price = microUsdPerHour(bucket);
    microUsd += (nodes - reserved) * (price ?? 0);
    unpricedNodes += price === null ? nodes - reserved : 0;
    const { reservation } = bucket;
    if (reservation !== undefined)
      reservedNodes.set(reservation.name, (reservedNodes.get(reservation.name) ?? 0) + reserved);
  }
  return { cores, usdPerHour: microUsd / micro, unpricedNodes, reservedNodes };
}

/** How many nodes each cap still allows. Shared by all buckets, like the limits of the cluster. */
export class CapQuotas {
  readonly #caps: Caps | null;
  // Without bounds until `close`: nodes on order are charged to every bucket meanwhile, and count in their own way here.
  readonly #nodes = new Quota(Number.POSITIVE_INFINITY, 0);
  readonly #cores = new Quota(Number.POSITIVE_INFINITY, 0);
  readonly #money = new Quota(Number.POSITIVE_INFINITY, 0);
  readonly #reserved = new Map<string, ReservedPool>();

  constructor(caps: Caps | null) {
    this.#caps = caps;
  }

  chargesOf(bucket: Bucket): readonly Charge[] {
    const [caps, nodes, cores, money] = [this.#caps, this.#nodes, this.#cores, this.#money];
    if (caps === null) return [];
    const charges: Charge[] = [];
    if (caps.maxNodesPerPlan !== null)
      charges.push({ limit: "max-nodes-per-plan", scope: "plan", unit: "nodes", quota: nodes, perNode: 1 });
    if (caps.maxCores !== null)
      charges.push({
        limit: "max-cores",
        scope: "cluster",
        unit: "cores",
        quota: cores,
        perNode: bucket.vm.vcpuCount,
      });
    if (caps.budget === null) return charges;
    const pool = this.#poolOf(bucket);
    const perNode = microUsdPerHour(bucket);
    if (perNode === null) {
      const quota = new Quota(0, 0);
      const beyond = pool === undefined ? quota : new ReservedQuota(quota, pool, 1);
      charges.push({
        limit: "unknown-price",
        scope: bucket.vmSize,
        unit: "nodes",
        quota: beyond,
        perNode: 1,
      });
      return charges;
    }
    // A node that costs nothing draws on no money anyway.
    const quota = pool === undefined || perNode === 0 ? money : new ReservedQuota(money, pool, perNode);
    charges.push({ limit: "monthly-budget", scope: "month", unit: "micro-usd", quota, perNode });
    return charges;
  }

  /** One for all buckets of a reservation; undefined: the bucket has none. */
  #poolOf({ reservation }: Bucket): ReservedPool | undefined {
    if (reservation === undefined) return undefined;
    const pool = this.#reserved.get(reservation.name) ?? new ReservedPool(reservation);
    this.#reserved.set(reservation.name, pool);
    return pool;
  }

  /** Sets the bounds, when the nodes that are there and on order have been laid out. */
  close(running: Running): void {
    for (const [name, pool] of this.#reserved) pool.open(running.reservedNodes.get(name) ?? 0);
    for (const { cap, max, used } of capBounds(this.#caps, running)) {
      if (cap === "max-nodes-per-plan") this.#nodes.atMost(max, used);
      if (cap === "max-cores") this.#cores.atMost(max, used);
      if (cap === "monthly-budget") this.#money.atMost(Math.floor(max * micro), Math.ceil(used * micro));
    }
  }
}

/** A cap, and what is taken of it before a plan: nodes, cores, US dollars (spent, and an hour of all that run). */
export interface CapBound {
  readonly cap: CapName;
  readonly max: number;
  readonly used: number;
}

/** The caps that are set. A price that is not known has no figure. */
export function capBounds(caps: Caps | null, running: Running): readonly CapBound[] {
  const bounds: CapBound[] = [];
  if (caps === null) return bounds;
  const { maxNodesPerPlan, maxCores, budget } = caps;
  if (maxNodesPerPlan !== null) bounds.push({ cap: "max-nodes-per-plan", max: maxNodesPerPlan, used: 0 });
  if (maxCores !== null) bounds.push({ cap: "max-cores", max: maxCores, used: running.cores });
  if (budget !== null) {
    const used = inMicroUsd(budget.spentUsd) + inMicroUsd(running.usdPerHour);
    bounds.push({ cap: "monthly-budget", max: budget.maxUsd, used: used / micro });
    bounds.push({ cap: "unknown-price", max: 0, used: 0 });
  }
  return bounds;
}

/** Money is counted in whole millionths of a dollar: sums of fractions would depend on their order. */
export const micro = 1_000_000;

function inMicroUsd(usd: number): number {
  return Math.ceil(usd * micro);
}

function microUsdPerHour(bucket: Bucket | undefined): number | null {
  const price = bucket?.pricePerHourUsd ?? null;
  return price === null ? null : Math.round(price * micro);
}

function largestOf(array: NodeArray): number {
  return array.buckets.reduce((most, { vm }) => Math.max(most, vm.vcpuCount), 0);
}
