import type { Bucket, Cluster, ClusterNode, NodeArray } from "./bucket.ts";
import type { CapName } from "./limits.ts";
import type { PendingNodes } from "./node.ts";
import { type Charge, Quota } from "./quota.ts";

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

/** What nodes that are there or on order take. */
export interface Running {
  readonly cores: number;
  readonly usdPerHour: number;
  /** Nodes whose price is not known; the sum leaves them out. */
  readonly unpricedNodes: number;
}

/** Terminating nodes still count; those that reached the end (Deallocated, Terminated, Off) do not. */
export function isAtRest(node: Pick<ClusterNode, "status" | "targetState">): boolean {
  return node.targetState === node.status && node.targetState !== "Started";
}

/**
 * Counts nodes of node arrays, switched-off ones included; head nodes belong to no array. A node whose size is in no
 * bucket counts as the largest size of its array, since its cores cannot be told.
 */
export function runningIn(cluster: Cluster, pending: readonly PendingNodes[] = []): Running {
  const arrays = new Map(cluster.nodeArrays.map((array) => [array.name, array]));
  const moving = new Set(cluster.nodes.filter((node) => !isAtRest(node)).map((node) => node.name));
  let [cores, microUsd, unpricedNodes] = [0, 0, 0];
  const count = (nodeArray: string, vmSize: string, nodes: number) => {
    const array = arrays.get(nodeArray);
    if (array === undefined || nodes === 0) return;
    const size = array.buckets.find((bucket) => bucket.vmSize === vmSize);
    cores += nodes * (size?.vm.vcpuCount ?? largestOf(array));
    const price = microUsdPerHour(size);
    microUsd += nodes * (price ?? 0);
    unpricedNodes += price === null ? nodes : 0;
  };
  for (const node of cluster.nodes) if (!isAtRest(node)) count(node.nodeArray, node.vmSize, 1);
  for (const order of pending) {
    const seen = (order.names ?? []).filter((name) => moving.has(name)).length;
    count(order.nodeArray, order.vmSize, order.count - seen);
  }
  return { cores, usdPerHour: microUsd / micro, unpricedNodes };
}

/** What a plan may still make under each cap. Shared by all buckets, like the limits of the cluster. */
export class CapQuotas {
  readonly #caps: Caps | null;
  // Without bounds until `close`: nodes on order are charged to every bucket meanwhile, and count in their own way here.
  readonly #nodes = new Quota(Number.POSITIVE_INFINITY, 0);
  readonly #cores = new Quota(Number.POSITIVE_INFINITY, 0);
  readonly #money = new Quota(Number.POSITIVE_INFINITY, 0);

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
    const perNode = microUsdPerHour(bucket);
    charges.push(
      perNode === null
        ? { limit: "unknown-price", scope: bucket.vmSize, unit: "nodes", quota: new Quota(0, 0), perNode: 1 }
        : { limit: "monthly-budget", scope: "month", unit: "micro-usd", quota: money, perNode },
    );
    return charges;
  }

  /** Sets the bounds, when the nodes that are there and on order have been laid out. */
  close(running: Running): void {
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
