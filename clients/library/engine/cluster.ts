import {
  type Bucket,
  type Cluster,
  type ClusterNode,
  type NodeArray,
  nearest,
  type VmFacts,
} from "../../../shared/engine/index.ts";
import { createVmCatalogue, pricePerHourUsd } from "../../../shared/facts/index.ts";

/** So many that no plan comes near it, and that sums stay exact. */
const unlimited = 1_000_000_000;

/** What Azure publishes, by VM size. Read when a size is first asked for. */
const catalogue: { known?: ReturnType<typeof createVmCatalogue> } = {};

/** What Azure publishes about a VM size; `undefined` when it is not in the catalogue. */
export function vmFacts(vmSize: string): VmFacts | undefined {
  catalogue.known ??= createVmCatalogue();
  const size = catalogue.known.find(vmSize);
  return (
    size && {
      vcpuCount: size.vcpusAvailable,
      vcpuQuotaCount: size.vcpus,
      pcpuCount: size.pcpus,
      gpuCount: size.gpus,
      coresPerSocket: size.vcpusPerCore ?? 1,
      memoryBytes: size.memoryGiB * 1024 ** 3,
      family: size.family,
      infiniband: size.rdma,
    }
  );
}

/** One VM size of a node array. What is left out has no limit, or is what Azure publishes. */
export interface BucketOptions {
  readonly vmSize: string;
  /** Replaces single facts; a size that Azure does not publish needs `vcpuCount` and `memoryBytes`. */
  readonly vm?: Partial<VmFacts>;
  /** Nodes that there may be, and that there are. */
  readonly maxCount?: number;
  readonly activeCount?: number;
  /** Nodes that CycleCloud would still create; by default the rest of `maxCount`. */
  readonly availableCount?: number;
  /** Nodes that fit one placement group. */
  readonly maxPlacementGroupSize?: number;
}

export interface NodeArrayOptions extends Partial<Omit<NodeArray, "name" | "buckets">> {
  /** In the order of preference: names, or more about each. */
  readonly vmSizes: readonly (string | BucketOptions)[];
}

/** A node array. Throws a TypeError for a VM size of which nothing is known. */
export function nodeArray(name: string, { vmSizes, ...array }: NodeArrayOptions): NodeArray {
  const location = array.location ?? "";
  const maxCount = array.maxCount ?? unlimited;
  return {
    name,
    location,
    spot: false,
    enabled: true,
    allowsColocation: true,
    priority: null,
    placementGroup: null,
    maxCoreCount: unlimited,
    resources: {},
    softwareConfiguration: {},
    ...array,
    maxCount,
    buckets: vmSizes.map((each) =>
      toBucket(name, typeof each === "string" ? { vmSize: each } : each, { location, maxCount }),
    ),
  };
}

function toBucket(
  array: string,
  options: BucketOptions,
  { location, maxCount: mostOfArray }: Pick<NodeArray, "location" | "maxCount">,
): Bucket {
  const { vmSize, maxCount = mostOfArray, activeCount = 0, maxPlacementGroupSize = 100 } = options;
  const noQuota = { maxCores: unlimited, usedCores: 0 };
  return {
    bucketId: `${array}/${vmSize}`,
    vmSize,
    vm: factsOf(options),
    valid: true,
    invalidReason: null,
    limits: {
      maxCount,
      activeCount,
      availableCount: options.availableCount ?? Math.max(0, maxCount - activeCount),
      region: noQuota,
      family: noQuota,
      maxPlacementGroupSize,
    },
    placementGroups: [],
    secondsSinceCapacityFailure: null,
    spotPlacementScore: null,
    pricePerHourUsd: pricePerHourUsd({ vmSize, location, spot: false }) ?? null,
  };
}

function factsOf({ vmSize, vm = {} }: BucketOptions): VmFacts {
  const published = vmFacts(vmSize);
  const vcpuCount = vm.vcpuCount ?? published?.vcpuCount;
  const memoryBytes = vm.memoryBytes ?? published?.memoryBytes;
  if (vcpuCount === undefined || memoryBytes === undefined)
    throw new TypeError(
      `Cannot use VM size "${vmSize}": Azure publishes none of that name, expected vm.vcpuCount and vm.memoryBytes`,
    );
  const unknown = {
    vcpuQuotaCount: vcpuCount,
    pcpuCount: vcpuCount,
    gpuCount: 0,
    coresPerSocket: 1,
    // Two sizes of an unknown family must not share a quota by accident.
    family: vmSize,
    infiniband: false,
  };
  return { ...(published ?? unknown), ...vm, vcpuCount, memoryBytes };
}

/** A node that CycleCloud has. */
export function node(
  name: string,
  of: Pick<ClusterNode, "nodeArray" | "vmSize"> & Partial<Omit<ClusterNode, "name">>,
): ClusterNode {
  return {
    nodeId: name,
    name,
    placementGroup: null,
    hostname: name,
    fqdn: null,
    privateIp: null,
    instanceId: null,
    status: "Ready",
    targetState: "Started",
    location: "",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
    ...of,
  };
}

/** A cluster without limits of its own, but for those that are given. Throws a TypeError for a node of an unknown array. */
export function cluster(
  name: string,
  nodeArrays: readonly NodeArray[],
  more: Partial<Pick<Cluster, "maxCount" | "maxCoreCount" | "nodes">> = {},
): Cluster {
  const { maxCount = unlimited, maxCoreCount = unlimited, nodes = [] } = more;
  const names = nodeArrays.map((array) => array.name);
  for (const each of nodes) {
    if (names.includes(each.nodeArray)) continue;
    const guess = nearest(each.nodeArray, names);
    const hint = guess === null ? "" : ` (did you mean "${guess}"?)`;
    throw new TypeError(
      `Cannot use node "${each.name}": nodeArray is "${each.nodeArray}"${hint}, expected one of ${names.join(", ")}`,
    );
  }
  return { name, maxCount, maxCoreCount, nodeArrays, nodes };
}
