import type { Bucket, Cluster, ClusterNode, NodeArray } from "./bucket.ts";
import type { CapName } from "./limits.ts";
import type { PendingNodes } from "./node.ts";
import { coverNodes } from "./reserved.ts";

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

/** A cap, and what is taken of it before a plan: nodes, cores, US dollars (spent, and an hour of all that run). */
export interface CapBound {
  readonly cap: CapName;
  readonly max: number;
  readonly used: number;
}

/** Money is counted in whole millionths of a dollar: sums of fractions would depend on their order. */
export const micro = 1_000_000;

export function inMicroUsd(usd: number): number {
  return Math.ceil(usd * micro);
}

export function microUsdPerHour(bucket: Bucket): number | null {
  const price = bucket.pricePerHourUsd ?? null;
  return price === null ? null : Math.round(price * micro);
}

function largestOf(array: NodeArray): number {
  return array.buckets.reduce((most, { vm }) => Math.max(most, vm.vcpuCount), 0);
}
