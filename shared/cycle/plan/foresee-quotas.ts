import type { Bucket, Cluster, ClusterNode, CoreQuota, NodeArray, PendingNodes } from "../../engine/index.ts";
import type { Operation, QuotaRefusal } from "../../ports/index.ts";

/**
 * The cluster with Azure's quotas as they must be by now. CycleCloud asks Azure for what is used now and then, so its
 * figures miss nodes that boot: what the cluster's own nodes hold is the least that is used. And a quota that refused
 * nodes has no more left than it had then, less what was asked of it since.
 */
export function foreseeQuotas(
  cluster: Cluster,
  recent: {
    readonly refusals: readonly QuotaRefusal[];
    /** Nodes on order, which the engine takes off what is left. */
    readonly pending: readonly PendingNodes[];
    /** Operations of at least the time since the refusals. */
    readonly operations: readonly Operation[];
  },
): Cluster {
  const held = new Cores(cluster);
  for (const node of cluster.nodes) if (holdsCores(node)) held.add(node.nodeArray, node.vmSize, 1);
  const pending = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of recent.pending) pending.add(nodeArray, vmSize, count);
  const most = new Map(
    recent.refusals.map((refusal) => {
      const since = new Cores(cluster);
      for (const operation of recent.operations) addCreated(since, operation, refusal.atSeconds);
      const key = `${refusal.limit} ${refusal.scope}`;
      return [key, Math.max(0, refusal.coresLeft - since.of(key)) + pending.of(key)] as const;
    }),
  );
  const foreseen = (quota: CoreQuota, key: string): CoreQuota => {
    const usedCores = Math.max(quota.usedCores, held.of(key));
    const mostLeftCores = most.get(key);
    return { ...quota, usedCores, ...(mostLeftCores === undefined ? {} : { mostLeftCores }) };
  };
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => {
      const region = foreseen(bucket.limits.region, regionKey(array));
      const family = array.spot
        ? bucket.limits.family
        : foreseen(bucket.limits.family, familyKey(array, bucket));
      return { ...bucket, limits: { ...bucket.limits, region, family } };
    }),
  }));
  return { ...cluster, nodeArrays };
}

/** Cores of Azure's quotas, by `<limit> <scope>`. */
class Cores {
  readonly #cluster: Cluster;
  readonly #cores = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  of(key: string): number {
    return this.#cores.get(key) ?? 0;
  }

  /** Nodes of an unknown array or size are not counted: their cores are unknown. */
  add(nodeArray: string, vmSize: string, nodes: number): void {
    const array = this.#cluster.nodeArrays.find(({ name }) => name === nodeArray);
    const bucket = array?.buckets.find((each) => each.vmSize === vmSize);
    if (array === undefined || bucket === undefined) return;
    for (const key of array.spot ? [regionKey(array)] : [regionKey(array), familyKey(array, bucket)])
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
