import {
  type Bucket,
  type Cluster,
  type ClusterNode,
  defaultSettings,
  type NodeArray,
  type Plan,
  plan,
} from "../../shared/engine/index.ts";

const bytesPerGiB = 2 ** 30;

/** A bucket of `Standard_F4s_v2` (4 cores, 8 GiB) with room for `availableCount` nodes. */
export function bucketOf(fields: Partial<Bucket> & { readonly availableCount?: number } = {}): Bucket {
  const { availableCount = 20, ...rest } = fields;
  return {
    bucketId: "bucket-f4",
    vmSize: "Standard_F4s_v2",
    vm: {
      vcpuCount: 4,
      vcpuQuotaCount: 4,
      pcpuCount: 2,
      gpuCount: 0,
      coresPerSocket: 2,
      memoryBytes: 8 * bytesPerGiB,
      family: "standardFSv2Family",
      infiniband: false,
    },
    valid: true,
    invalidReason: null,
    limits: {
      maxCount: availableCount,
      activeCount: 0,
      availableCount,
      region: { maxCores: 1_000, usedCores: 0 },
      family: { maxCores: 1_000, usedCores: 0 },
      maxPlacementGroupSize: 100,
    },
    placementGroups: [],
    secondsSinceCapacityFailure: null,
    spotPlacementScore: null,
    ...rest,
  };
}

export function nodeArrayOf(fields: Partial<NodeArray> = {}): NodeArray {
  return {
    name: "htc",
    location: "westeurope",
    spot: false,
    enabled: true,
    allowsColocation: false,
    priority: null,
    placementGroup: null,
    maxCount: 1_000,
    maxCoreCount: 10_000,
    resources: {},
    softwareConfiguration: {},
    buckets: [bucketOf()],
    ...fields,
  };
}

export function clusterOf(fields: Partial<Cluster> = {}): Cluster {
  return {
    name: "hpc",
    maxCount: 1_000,
    maxCoreCount: 10_000,
    nodeArrays: [nodeArrayOf()],
    nodes: [],
    ...fields,
  };
}

/** A Ready node of the bucket above. */
export function nodeOf(fields: Partial<ClusterNode> & { readonly name: string }): ClusterNode {
  return {
    nodeId: `id-${fields.name}`,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    placementGroup: null,
    hostname: `host-${fields.name}`,
    fqdn: null,
    privateIp: null,
    instanceId: null,
    status: "Ready",
    targetState: "Started",
    location: "westeurope",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
    ...fields,
  };
}

/** The plan of that cluster when nobody asks for anything. */
export const emptyPlan: Plan = plan({
  nowSeconds: 0,
  cluster: clusterOf(),
  jobs: [],
  schedulerNodes: [],
  pending: [],
  leavingNodeIds: [],
  history: [],
  lastPassSeconds: null,
  settings: defaultSettings,
});
