import type { Bucket, Cluster, NodeArray, PlacementPolicy, PlanInput } from "../../../shared/engine/index.ts";
import { defaultSettings } from "../../../shared/engine/index.ts";
import { createVmCatalogue, pricePerHourUsd } from "../../../shared/facts/index.ts";
import vmSizes from "../../../shared/facts/vm-sizes.json" with { type: "json" };

const region = "eastus";

/** A VM size with what the shipped table knows of it. */
export interface MarketSize {
  readonly vmSize: string;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly price: number;
}

const catalogue = createVmCatalogue();

/** Sizes by name, without those that have no price in the region. */
export function sizesOf(names: readonly string[]): readonly MarketSize[] {
  return names.flatMap((vmSize) => {
    const facts = catalogue.find(vmSize);
    const price = pricePerHourUsd({ vmSize, location: region, spot: false });
    return facts === undefined || price === undefined
      ? []
      : [{ vmSize, vcpus: facts.vcpusAvailable, memoryGiB: facts.memoryGiB, price }];
  });
}

/** All general sizes of the fifth and sixth generation. */
export function generalSizes(): readonly MarketSize[] {
  return sizesOf(vmSizes.name.filter((name) => /^Standard_[DEF]\d+[a-z]*_v[56]$/.test(name)));
}

const quota = { maxCores: 1e9, usedCores: 0 };

function bucketOf({ vmSize, vcpus, memoryGiB, price }: MarketSize): Bucket {
  return {
    bucketId: vmSize,
    vmSize,
    vm: {
      vcpuCount: vcpus,
      vcpuQuotaCount: vcpus,
      pcpuCount: vcpus,
      gpuCount: 0,
      coresPerSocket: 1,
      memoryBytes: memoryGiB * 1024 ** 3,
      family: vmSize,
      infiniband: false,
    },
    valid: true,
    invalidReason: null,
    placementGroups: [],
    limits: {
      maxCount: 1e6,
      activeCount: 0,
      availableCount: 1e6,
      region: quota,
      family: quota,
      maxPlacementGroupSize: 100,
    },
    secondsSinceCapacityFailure: null,
    spotPlacementScore: null,
    pricePerHourUsd: price,
  };
}

/** One array with these sizes in this order, without limits that bind. */
export function marketOf(sizes: readonly MarketSize[]): Cluster {
  const array: NodeArray = {
    name: "htc",
    location: region,
    spot: false,
    enabled: true,
    allowsColocation: true,
    priority: null,
    placementGroup: null,
    maxCount: 1e6,
    maxCoreCount: 1e9,
    resources: {},
    softwareConfiguration: {},
    buckets: sizes.map(bucketOf),
  };
  return { name: "bench", maxCount: 1e6, maxCoreCount: 1e9, nodeArrays: [array], nodes: [] };
}

export function inputOf(cluster: Cluster, jobs: PlanInput["jobs"], placement: PlacementPolicy): PlanInput {
  return {
    nowSeconds: 1_800_000_000,
    cluster,
    jobs,
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [],
    lastPassSeconds: null,
    settings: { ...defaultSettings, placement: { default: placement, byNodeArray: {} } },
  };
}
