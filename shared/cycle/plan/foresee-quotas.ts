import type { Bucket, Cluster, ClusterNode, CoreQuota, NodeArray, PendingNodes } from "../../engine/index.ts";
import type { Operation, QuotaRefusal, SharedQuota } from "../../ports/index.ts";

/** What other clusters of the deployment have of a quota. */
export interface OtherUse {
  /** Their nodes, and what they have ordered. */
  readonly claimedCores: number;
  /** The part that the figures of this cluster's snapshot cannot contain, and whose it is. */
  readonly unseenCores: number;
  readonly orders: SharedQuota["orders"];
  /** What is kept of such a quota for others who wait, while this cluster has so many cores. */
  readonly kept: (maxCores: number, ownCores: number) => SharedQuota["kept"];
  /** The part of the quota that this cluster may have. */
  readonly most: number;
}

/**
 * The cluster with Azure's quotas as they must be by now. CycleCloud asks Azure for what is used now and then, so its
 * figures miss nodes that boot: what the cluster's own nodes hold is the least that is used. And a quota that refused
 * nodes has no more left than it had then, less what was asked of it since. Of a quota that other clusters of the deployment
 * share, what they have and order counts as well.
 */
export function foreseeQuotas(
  cluster: Cluster,
  recent: {
    readonly refusals: readonly QuotaRefusal[];
    /** Nodes on order, which the engine takes off what is left. */
    readonly pending: readonly PendingNodes[];
    /** Operations of at least the time since the refusals. */
    readonly operations: readonly Operation[];
    readonly others?: (nodeArray: string, key: string) => OtherUse | undefined;
  },
): Cluster {
  const held = heldCores(cluster);
  const pending = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of recent.pending) pending.add(nodeArray, vmSize, count);
  const most = new Map(
    recent.refusals.map((refusal) => {
      const since = new Cores(cluster);
      for (const operation of recent.operations) addCreated(since, operation, refusal.atSeconds);
      const key = quotaKey(refusal);
      return [key, Math.max(0, refusal.coresLeft - since.of(key)) + pending.of(key)] as const;
    }),
  );
  const leftByOthers = (nodeArray: string, { maxCores, usedCores }: CoreQuota, key: string): number => {
    const others = recent.others?.(nodeArray, key);
    if (others === undefined) return Number.POSITIVE_INFINITY;
    const used = Math.max(usedCores + others.unseenCores, held.of(key) + others.claimedCores);
    const own = held.of(key) + pending.of(key);
    const kept = others.kept(maxCores, own).reduce((sum, { cores }) => sum + cores, 0);
    const left = Math.max(0, Math.min(maxCores - used - kept, others.most * maxCores - held.of(key)));
    return left < maxCores - Math.max(usedCores, held.of(key)) ? left : Number.POSITIVE_INFINITY;
  };
  const foreseen = (array: NodeArray, quota: CoreQuota, key: string): CoreQuota => {
    const usedCores = Math.max(quota.usedCores, held.of(key));
    const refused = most.get(key) ?? Number.POSITIVE_INFINITY;
    const mostLeftCores = Math.min(refused, leftByOthers(array.name, quota, key));
    return { ...quota, usedCores, ...(Number.isFinite(mostLeftCores) && { mostLeftCores }) };
  };
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => {
      const region = foreseen(array, bucket.limits.region, regionKey(array));
      const family = array.spot
        ? bucket.limits.family
        : foreseen(array, bucket.limits.family, familyKey(array, bucket));
      return { ...bucket, limits: { ...bucket.limits, region, family } };
    }),
  }));
  return { ...cluster, nodeArrays };
}

/** What the nodes of a cluster hold. */
export function heldCores(cluster: Cluster): Cores {
  const held = new Cores(cluster);
  for (const node of cluster.nodes) if (holdsCores(node)) held.add(node.nodeArray, node.vmSize, 1);
  return held;
}

/** The quotas that a bucket draws on, by `<limit> <scope>`. */
export function quotaKeysOf(array: NodeArray, bucket: Bucket): readonly string[] {
  return array.spot ? [regionKey(array)] : [regionKey(array), familyKey(array, bucket)];
}

/** One of Azure's quotas. */
type QuotaName = Pick<SharedQuota, "limit" | "scope">;

export function quotaKey({ limit, scope }: QuotaName): string {
  return `${limit} ${scope}`;
}

/** What such a key names. */
export function quotaNamed(key: string): QuotaName {
  const limit = key.startsWith("family ") ? "family" : "region";
  return { limit, scope: key.slice(limit.length + 1) };
}

/** Cores of Azure's quotas, by `<limit> <scope>`. */
export class Cores {
  readonly #cluster: Cluster;
  readonly #cores = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  of(key: string): number {
    return this.#cores.get(key) ?? 0;
  }

  keys(): readonly string[] {
    return [...this.#cores.keys()];
  }

  /** What is there beyond those others. */
  without(others: Cores): Cores {
    const left = new Cores(this.#cluster);
    for (const key of this.keys()) left.#cores.set(key, Math.max(0, this.of(key) - others.of(key)));
    return left;
  }

  /** Nodes of an unknown array or size are not counted: their cores are unknown. */
  add(nodeArray: string, vmSize: string, nodes: number): void {
    const array = this.#cluster.nodeArrays.find(({ name }) => name === nodeArray);
    const bucket = array?.buckets.find((each) => each.vmSize === vmSize);
    if (array === undefined || bucket === undefined) return;
    for (const key of quotaKeysOf(array, bucket))
      this.#cores.set(key, this.of(key) + nodes * bucket.vm.vcpuQuotaCount);
  }
}

/** What was asked for after a moment, and not refused. */
function addCreated(cores: Cores, { action, state, added }: Operation, sinceSeconds: number): void {
  if (action.kind !== "create-nodes" || action.createdAtSeconds <= sinceSeconds) return;
  if (state === "failed" || state === "dropped" || state === "lost") return;
  action.sets.forEach(({ nodeArray, vmSize, count }, index) => {
    cores.add(nodeArray, vmSize, added[index] ?? count);
  });
}

/** Azure counts a VM until it is gone. A node that failed without one holds nothing. */
function holdsCores({ status, targetState, instanceId }: ClusterNode): boolean {
  const isAtRest = targetState === status && targetState !== "Started";
  return !isAtRest && !(status === "Failed" && instanceId === null);
}

function regionKey({ location, spot }: NodeArray): string {
  return `region ${location}${spot ? " spot" : ""}`;
}

function familyKey({ location }: NodeArray, { vm }: Bucket): string {
  return `family ${location}/${vm.family}`;
}
