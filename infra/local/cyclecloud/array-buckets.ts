import {
  type BucketDefinition,
  nodeArrayOf,
  Refusal,
  type Site,
} from "../../../shared/simulated-cyclecloud/index.ts";

/** Changes a node array of the definition. Throws Refusal 404 where the cluster has none of this name. */
export function changeArray(
  site: Site,
  { cluster: name, nodearray }: { readonly cluster: string; readonly nodearray: string },
  change: {
    readonly maxCount?: number;
    readonly maxCoreCount?: number;
    readonly evictionsPerHour?: number;
  },
): void {
  bucketsOf(site, { cluster: name, nodearray });
  const { cluster } = site.clusterNow(name);
  const nodearrays = cluster.definition.nodearrays.map((array) =>
    array.name === nodearray ? { ...array, ...change } : array,
  );
  cluster.definition = { ...cluster.definition, nodearrays };
}

/** The buckets of a node array, or that of one VM size. Throws Refusal 404 where there are none. */
export function bucketsOf(
  site: Site,
  where: { readonly cluster: string; readonly nodearray: string; readonly machineType?: string | undefined },
): readonly BucketDefinition[] {
  const { cluster } = site.clusterNow(where.cluster);
  const { nodearray, machineType } = where;
  const all = nodeArrayOf(cluster, nodearray)?.buckets ?? [];
  const chosen = all.filter((bucket) => machineType === undefined || bucket.machineType === machineType);
  if (chosen.length > 0) return chosen;
  throw new Refusal(
    404,
    `Cannot find bucket "${nodearray}/${machineType ?? "*"}" in cluster "${where.cluster}"`,
  );
}
