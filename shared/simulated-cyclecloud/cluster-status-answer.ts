import { createHash } from "node:crypto";
import type { Cluster } from "./cluster.ts";
import type { BucketDefinition, ClusterDefinition, NodeArrayDefinition, RegionQuota } from "./definition.ts";
import { shownNodes } from "./lists.ts";
import {
  type Consumption,
  countUsage,
  familyQuota,
  type LimitState,
  roomsOf,
  smallest,
  type Usage,
} from "./quota-limits.ts";
import { toUuid } from "./seeded-random.ts";
import type { Attributes } from "./simulated-node.ts";
import { isActive } from "./simulated-node.ts";

/** The ClusterStatus of `GET /clusters/{c}/status`. */
export function toClusterStatus(
  cluster: Cluster,
  { at, nodes }: { readonly at: number; readonly nodes: boolean },
) {
  const { definition } = cluster;
  const stateOf = limitStates(cluster, at);
  return {
    state: "Started",
    targetState: "Started",
    maxCount: definition.maxCount,
    maxCoreCount: definition.maxCoreCount,
    nodearrays: definition.nodearrays.map((array) => ({
      name: array.name,
      maxCount: array.maxCount,
      maxCoreCount: array.maxCoreCount,
      nodearray: toArrayRecord(array, definition),
      buckets: array.buckets.map((bucket) => toBucket(bucket, array)),
    })),
    ...(nodes ? { nodes: shownNodes(cluster, "status", at) } : {}),
  };

  function toBucket(bucket: BucketDefinition, array: NodeArrayDefinition) {
    return {
      ...bucketFigures(bucket, array, stateOf(array)),
      ...weatherOf(cluster, bucket, at),
      ...(nodes ? { activeNodes: activeNames(cluster, bucket, at) } : {}),
      bucketId: bucketIdOf(definition.name, bucket),
    };
  }
}

/** What of a bucket changes from moment to moment: the same figures as in the status, without its nodes. */
export function bucketFiguresNow(cluster: Cluster, at: number) {
  const stateOf = limitStates(cluster, at);
  return cluster.definition.nodearrays.map((array) => ({
    name: array.name,
    buckets: array.buckets.map((bucket) => ({
      ...bucketFigures(bucket, array, stateOf(array)),
      ...weatherOf(cluster, bucket, at),
    })),
  }));
}

function limitStates(cluster: Cluster, at: number): (array: NodeArrayDefinition) => LimitState {
  const { definition, population } = cluster;
  // CycleCloud's counts leave out nodes that terminate, so `availableCount` may promise what a create cannot do yet.
  const usage = countUsage(population.living(), { at, terminating: false });
  const regions = new Map(
    Object.keys(definition.quotas).map((region) => [region, regionState(cluster, region, at)]),
  );
  return ({ region }) => ({
    definition,
    usage,
    ...(regions.get(region) ?? regionState(cluster, region, at)),
  });
}

function weatherOf(cluster: Cluster, bucket: BucketDefinition, at: number) {
  return {
    lastCapacityFailure: cluster.conditions.sinceCapacityFailure(bucket, at),
    spotPlacementScore: bucket.spot ? spotScoreOf(cluster, bucket) : "",
  };
}

function regionState(
  cluster: Cluster,
  region: string,
  at: number,
): Pick<LimitState, "quota" | "consumption"> {
  const { subscription, quotaLagSeconds } = cluster.definition;
  const quota = cluster.quotas.of(subscription, region);
  return { quota, consumption: cluster.consumption(region, at - quotaLagSeconds) };
}

function bucketFigures(bucket: BucketDefinition, array: NodeArrayDefinition, state: LimitState) {
  const { machineType, size, invalidReason } = bucket;
  const cores = size.vcpusAvailable;
  const used = state.usage.bucket(bucket);
  const maxCount = smallest(roomsOf(bucket, emptied(state))).count;
  const availableCount = invalidReason === undefined ? smallest(roomsOf(bucket, state)).count : 0;
  const maxPlacementGroupSize = array.maxScalesetSize;
  return {
    definition: { machineType },
    valid: invalidReason === undefined,
    invalidReason: invalidReason ?? "",
    maxCount,
    maxCoreCount: maxCount * cores,
    activeCount: used.nodes,
    activeCoreCount: used.cores,
    availableCount,
    availableCoreCount: availableCount * cores,
    ...quotaFigures(bucket, state),
    maxPlacementGroupSize,
    maxPlacementGroupCoreSize: maxPlacementGroupSize * cores,
    placementGroups: [...state.usage.groupsOf(bucket)].map(([name, amount]) => ({
      name,
      activeCount: amount.nodes,
      activeCoreCount: amount.cores,
    })),
    virtualMachine: {
      vcpuCount: cores,
      pcpuCount: size.pcpus,
      gpuCount: size.gpus,
      memory: size.memoryGiB,
      infiniband: size.rdma,
      vcpuQuotaCount: size.vcpus,
    },
  };
}

/** Spot cores have one quota for the whole region, so the family figures of a spot array are 0. */
function quotaFigures({ size, spot }: BucketDefinition, { quota, consumption }: LimitState) {
  const region = spot
    ? { cores: quota.spotCores, consumed: consumption.spotCores }
    : { cores: quota.cores, consumed: consumption.cores };
  const family = spot
    ? { cores: 0, consumed: 0 }
    : { cores: familyQuota(quota, size.family), consumed: consumption.family(size.family) };
  const usable = spot ? region.cores : Math.min(family.cores, region.cores);
  const nodes = (cores: number) => Math.floor(cores / size.vcpus);
  return {
    quotaCount: nodes(usable),
    quotaCoreCount: usable,
    consumedCoreCount: spot ? region.consumed : family.consumed,
    familyQuotaCount: nodes(family.cores),
    familyQuotaCoreCount: family.cores,
    familyConsumedCoreCount: family.consumed,
    regionalQuotaCount: nodes(region.cores),
    regionalQuotaCoreCount: region.cores,
    regionalConsumedCoreCount: region.consumed,
  };
}

/** The same limits with nothing used: what fits at most. */
function emptied({
  definition,
  quota,
}: {
  definition: LimitState["definition"];
  quota: RegionQuota;
}): LimitState {
  const usage: Usage = countUsage([], { at: 0, terminating: false });
  const consumption: Consumption = { cores: 0, spotCores: 0, family: () => 0 };
  return { definition, quota, usage, consumption };
}

function toArrayRecord(
  array: NodeArrayDefinition,
  { subnetId, subscription }: Pick<ClusterDefinition, "subnetId" | "subscription">,
): Attributes {
  return {
    Name: array.name,
    Region: array.region,
    Credentials: subscription,
    SubnetId: subnetId,
    Interruptible: array.interruptible,
    ...(array.priority === undefined ? {} : { Priority: array.priority }),
    ...(array.placementGroupId === undefined ? {} : { PlacementGroupId: array.placementGroupId }),
    ...memoryOf(array),
    MachineType: array.machineTypes,
    ShutdownPolicy: array.shutdownPolicy,
    Configuration: array.configuration,
    Azure: { MaxScalesetSize: array.maxScalesetSize },
  };
}

/** One record stands for all sizes of the array: it has a memory only if all of them have the same. */
function memoryOf({ buckets }: NodeArrayDefinition): Attributes {
  const [memory, ...others] = new Set(buckets.map(({ size }) => size.memoryGiB));
  return memory === undefined || others.length > 0 ? {} : { Memory: memory };
}

function activeNames(
  { population, lists }: Cluster,
  bucket: BucketDefinition,
  at: number,
): readonly string[] {
  return [...population.living()]
    .filter(
      (node) => node.bucket.nodearray === bucket.nodearray && node.bucket.machineType === bucket.machineType,
    )
    .filter((node) => isActive(node, at) && lists.isShown("status", node, at))
    .map((node) => node.name);
}

function spotScoreOf({ conditions }: Cluster, bucket: BucketDefinition): "High" | "Low" {
  return conditions.of(bucket).drought === undefined ? "High" : "Low";
}

/** The same for the same bucket in every run, as long as the cluster keeps its name. */
function bucketIdOf(cluster: string, { nodearray, machineType }: BucketDefinition): string {
  return toUuid(
    createHash("sha256")
      .update(JSON.stringify([cluster, nodearray, machineType]))
      .digest(),
  );
}
