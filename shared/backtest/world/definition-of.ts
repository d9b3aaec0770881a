import { type Bucket, type Cluster, kindName, type NodeArray, sizesByKind } from "../../engine/index.ts";
import type { DefinitionInput } from "../../simulated-cyclecloud/index.ts";

/**
 * The definition of an empty cluster with the node arrays, sizes, limits and quotas of a real one. What others use of a quota
 * stays used; what the cluster itself uses is free. Boot times are not of a snapshot: node history has them.
 */
export function definitionOf(cluster: Cluster): DefinitionInput {
  const arrays = cluster.nodeArrays.filter(({ buckets }) => buckets.length > 0);
  const [first] = arrays;
  if (first === undefined)
    throw new TypeError(`Cannot use the snapshot of "${cluster.name}": it has no node array with a VM size`);
  const locations = [...new Set(arrays.map(({ location }) => location))];
  return {
    name: cluster.name,
    region: first.location,
    maxCount: cluster.maxCount,
    maxCoreCount: cluster.maxCoreCount,
    quotas: Object.fromEntries(locations.map((location) => [location, quotaOf(location, cluster)])),
    nodearrays: arrays.map((array) => toArray(array)),
    vmSizes: Object.fromEntries(
      arrays.flatMap(({ buckets }) => buckets.map((bucket) => [bucket.vmSize, sizeOf(bucket)])),
    ),
  };
}

function toArray(array: NodeArray): DefinitionInput["nodearrays"][number] {
  const { name, location, spot, priority, placementGroup, maxCount, maxCoreCount, buckets } = array;
  const invalid = buckets
    .filter(({ valid }) => !valid)
    .map(({ vmSize }) => [vmSize, "NotActivated"] as const);
  return {
    name,
    region: location,
    maxCount,
    maxCoreCount,
    interruptible: spot,
    machineTypes: buckets.map(({ vmSize }) => vmSize),
    ...(priority === null ? {} : { priority }),
    ...(placementGroup === null ? {} : { placementGroupId: placementGroup }),
    maxScalesetSize: Math.max(1, ...buckets.map(({ limits }) => limits.maxPlacementGroupSize)),
    configuration: array.softwareConfiguration,
    invalid: Object.fromEntries(invalid),
  };
}

function sizeOf({ vm }: Bucket) {
  return {
    family: vm.family,
    vcpus: Math.max(1, vm.vcpuQuotaCount),
    vcpusAvailable: Math.max(1, vm.vcpuCount),
    pcpus: Math.max(1, vm.pcpuCount),
    memoryGiB: vm.memoryBytes / 2 ** 30,
    gpus: vm.gpuCount,
    rdma: vm.infiniband,
  };
}

function quotaOf(location: string, { nodeArrays, nodes }: Cluster) {
  const own = nodeArrays.filter((array) => array.location === location);
  const sizes = sizesByKind({ nodeArrays: own });
  const held = nodes.flatMap((node) => {
    const bucket = sizes.get(kindName(node));
    return bucket === undefined ? [] : [{ spot: node.spot, vm: bucket.vm }];
  });
  const coresOf = (counts: (node: (typeof held)[number]) => boolean) =>
    held.filter(counts).reduce((sum, { vm }) => sum + vm.vcpuQuotaCount, 0);
  const left = (limit: { readonly maxCores: number; readonly usedCores: number }, mine: number) =>
    Math.max(0, limit.maxCores - Math.max(0, limit.usedCores - mine));
  const regular = own.find(({ spot }) => !spot)?.buckets[0];
  const spot = own.find((array) => array.spot)?.buckets[0];
  const families = own
    .filter((array) => !array.spot)
    .flatMap(({ buckets }) =>
      buckets.map(({ vm, limits }) => {
        const mine = coresOf((node) => !node.spot && node.vm.family === vm.family);
        return [vm.family, left(limits.family, mine)] as const;
      }),
    );
  return {
    cores:
      regular === undefined
        ? 0
        : left(
            regular.limits.region,
            coresOf((node) => !node.spot),
          ),
    spotCores:
      spot === undefined
        ? 0
        : left(
            spot.limits.region,
            coresOf((node) => node.spot),
          ),
    families: Object.fromEntries(families),
  };
}
