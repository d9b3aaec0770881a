import type { ClustersAnswer } from "../api/index.ts";
import type { Bucket, Cluster, ClusterNode, NodeArray } from "../engine/index.ts";

type SharedQuota = NonNullable<ClustersAnswer["quotas"]>[number];

interface Seen {
  readonly cluster: string;
  readonly takenAtSeconds: number;
  readonly world: Cluster;
}

interface Quota extends Omit<SharedQuota, "clusters" | "otherCores"> {
  readonly takenAtSeconds: number;
  /** Cores of nodes under it, by cluster. */
  readonly cores: Map<string, number>;
}

/** What CycleCloud reports where there is no quota is not below this. */
const unlimited = 2 ** 31 - 1;

/** States in which a node has no VM. */
const withoutVm: ReadonlySet<string> = new Set(["Deallocated", "Terminated", "Off"]);

/**
 * Quotas of Azure that nodes of several clusters take from, and how much each has. Snapshots do not name the subscription: quotas of
 * one place with one maximum are taken for the same. What CycleCloud counts as used beyond these clusters somebody else has.
 */
export function sharedQuotas(seen: readonly Seen[]): readonly SharedQuota[] {
  const quotas = new Map<string, Quota>();
  for (const each of seen) for (const array of each.world.nodeArrays) enter(quotas, each, array);
  return [...quotas.values()]
    .filter(({ cores }) => cores.size > 1)
    .map(({ takenAtSeconds: _, cores, ...quota }) => {
      const clusters = [...cores].map(([cluster, held]) => ({ cluster, cores: held }));
      const ownCores = clusters.reduce((sum, each) => sum + each.cores, 0);
      return {
        ...quota,
        clusters: clusters.toSorted((a, b) => b.cores - a.cores || a.cluster.localeCompare(b.cluster)),
        otherCores: Math.max(0, quota.usedCores - ownCores),
      };
    })
    .toSorted((a, b) => b.usedCores / b.maxCores - a.usedCores / a.maxCores);
}

function enter(quotas: Map<string, Quota>, { cluster, takenAtSeconds, world }: Seen, array: NodeArray): void {
  for (const bucket of array.buckets) {
    const cores = coresOf(world.nodes, array, bucket);
    // Spot has one quota in a region, whatever the family.
    for (const limit of array.spot ? (["region"] as const) : (["family", "region"] as const)) {
      const figures = bucket.limits[limit];
      if (figures.maxCores <= 0 || figures.maxCores >= unlimited) continue;
      const family = limit === "family" ? `/${bucket.vm.family}` : "";
      const scope = `${array.location}${family}${array.spot ? " (spot)" : ""}`;
      const key = JSON.stringify([limit, scope, figures.maxCores]);
      const before = quotas.get(key);
      const isNewer = before === undefined || takenAtSeconds > before.takenAtSeconds;
      const held = before?.cores ?? new Map<string, number>();
      held.set(cluster, (held.get(cluster) ?? 0) + cores);
      quotas.set(key, {
        limit,
        scope,
        maxCores: figures.maxCores,
        usedCores: isNewer ? figures.usedCores : before.usedCores,
        takenAtSeconds: isNewer ? takenAtSeconds : before.takenAtSeconds,
        cores: held,
      });
    }
  }
}

function coresOf(
  nodes: readonly ClusterNode[],
  { name }: NodeArray,
  { vmSize, vm }: Pick<Bucket, "vmSize" | "vm">,
): number {
  const there = nodes.filter(
    (node) => node.nodeArray === name && node.vmSize === vmSize && !withoutVm.has(node.status),
  );
  return there.length * vm.vcpuQuotaCount;
}
