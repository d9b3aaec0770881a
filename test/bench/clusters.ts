import type { Bucket, Cluster, ClusterNode, NodeArray } from "../../shared/engine/index.ts";

/** Whole numbers from a seed (mulberry32): the same bench input on every machine. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const sizes = [
  { vmSize: "Standard_F16s_v2", vcpus: 16, memoryGiB: 32, gpus: 0 },
  { vmSize: "Standard_D32s_v5", vcpus: 32, memoryGiB: 128, gpus: 0 },
  { vmSize: "Standard_E64s_v5", vcpus: 64, memoryGiB: 512, gpus: 0 },
  { vmSize: "Standard_HB120rs_v3", vcpus: 120, memoryGiB: 448, gpus: 0 },
  { vmSize: "Standard_NC24ads_A100_v4", vcpus: 24, memoryGiB: 220, gpus: 1 },
] as const;

/** A cluster of three arrays with all sizes, two placement groups and plenty of quota, and its existing nodes. */
export function clusterOf(nodeCount: number): Cluster {
  const nodeArrays = ["htc", "hpc", "spot"].map(nodeArray);
  const nodes = Array.from({ length: nodeCount }, (_, index) => node(index));
  return { name: "bench", maxCount: 1e6, maxCoreCount: 1e9, nodeArrays, nodes };
}

function nodeArray(name: string): NodeArray {
  return {
    name,
    location: "westeurope",
    spot: name === "spot",
    enabled: true,
    allowsColocation: true,
    priority: null,
    placementGroup: null,
    maxCount: 100_000,
    maxCoreCount: 1e8,
    resources: {},
    softwareConfiguration: {},
    buckets: sizes.map((size) => bucket(name, size)),
  };
}

function bucket(array: string, size: (typeof sizes)[number]): Bucket {
  const quota = { maxCores: 1e8, usedCores: 0 };
  return {
    bucketId: `${array}-${size.vmSize}`,
    vmSize: size.vmSize,
    vm: {
      vcpuCount: size.vcpus,
      vcpuQuotaCount: size.vcpus,
      pcpuCount: size.vcpus / 2,
      gpuCount: size.gpus,
      coresPerSocket: 1,
      memoryBytes: size.memoryGiB * 1024 ** 3,
      family: size.vmSize,
      infiniband: size.vcpus === 120,
    },
    valid: true,
    invalidReason: null,
    limits: {
      maxCount: 50_000,
      activeCount: 0,
      availableCount: 20_000,
      region: quota,
      family: quota,
      maxPlacementGroupSize: 100,
    },
    placementGroups: [{ name: "pg0", activeCount: 0 }],
    secondsSinceCapacityFailure: null,
    spotPlacementScore: null,
  };
}

function node(index: number): ClusterNode {
  const size = sizes[index % 3] ?? sizes[0];
  return {
    nodeId: `id-${index}`,
    name: `htc-${index + 1}`,
    nodeArray: "htc",
    vmSize: size.vmSize,
    placementGroup: null,
    hostname: `ip-${index}`,
    fqdn: `ip-${index}.internal`,
    privateIp: "10.0.0.4",
    instanceId: `vm-${index}`,
    status: "Ready",
    targetState: "Started",
    location: "westeurope",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
  };
}
