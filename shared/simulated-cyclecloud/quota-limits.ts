import type { BucketDefinition, ClusterDefinition, RegionQuota } from "./definition.ts";
import { stepAt } from "./node-life.ts";
import { isActive, occupies, type SimulatedNode } from "./simulated-node.ts";

interface Amount {
  readonly nodes: number;
  readonly cores: number;
}

/** What one cluster uses, in the cores that jobs see (`vcpuCount`). */
export interface Usage {
  readonly cluster: Amount;
  array(nodearray: string): Amount;
  bucket(bucket: BucketDefinition): Amount;
  /** One placement group of one bucket: a scale set, which has one VM size. */
  group(bucket: BucketDefinition, placementGroupId: string): Amount;
  groupsOf(bucket: BucketDefinition): ReadonlyMap<string, Amount>;
}

/** What all clusters of a subscription use of a region's quotas, in the cores that Azure charges. */
export interface Consumption {
  readonly cores: number;
  readonly spotCores: number;
  family(family: string): number;
}

type LimitName =
  | "cluster node count"
  | "cluster core count"
  | "node array node count"
  | "node array core count"
  | "regional quota"
  | "regional spot quota"
  | "family quota"
  | "placement group size";

/** How many more nodes fit under one limit; never negative, however far over the limit the use is. */
export interface Room {
  readonly limit: LimitName;
  readonly count: number;
}

const nothing: Amount = { nodes: 0, cores: 0 };

/** `terminating`: whether nodes on their way out still count. Azure says yes, CycleCloud's `availableCount` no. */
export function countUsage(
  nodes: Iterable<SimulatedNode>,
  { at, terminating }: { readonly at: number; readonly terminating: boolean },
): Usage {
  const arrays = new Map<string, Amount>();
  const buckets = new Map<string, Amount>();
  const groups = new Map<string, Map<string, Amount>>();
  let cluster = nothing;
  for (const node of nodes) {
    if (!(terminating ? occupies(node, at) : isActive(node, at))) continue;
    const { bucket, placementGroupId } = node;
    const key = keyOf(bucket);
    cluster = plus(cluster, bucket);
    add(arrays, bucket.nodearray, bucket);
    add(buckets, key, bucket);
    if (placementGroupId === undefined) continue;
    const ofBucket = groups.get(key) ?? new Map<string, Amount>();
    add(ofBucket, placementGroupId, bucket);
    groups.set(key, ofBucket);
  }
  return {
    cluster,
    array: (nodearray) => arrays.get(nodearray) ?? nothing,
    bucket: (bucket) => buckets.get(keyOf(bucket)) ?? nothing,
    group: (bucket, id) => groups.get(keyOf(bucket))?.get(id) ?? nothing,
    groupsOf: (bucket) => groups.get(keyOf(bucket)) ?? new Map(),
  };
}

export function countConsumption(nodes: Iterable<SimulatedNode>, region: string, at: number): Consumption {
  const families = new Map<string, number>();
  const total = { cores: 0, spotCores: 0 };
  for (const { bucket, life } of nodes) {
    if (bucket.region !== region || life[0].at > at || !stepAt(life, at).holdsCores) continue;
    const { family, vcpus } = bucket.size;
    if (bucket.spot) total.spotCores += vcpus;
    else {
      total.cores += vcpus;
      families.set(family, (families.get(family) ?? 0) + vcpus);
    }
  }
  return { ...total, family: (family) => families.get(family) ?? 0 };
}

export function familyQuota(quota: RegionQuota, family: string): number {
  return quota.families[family] ?? quota.familyCores ?? quota.cores;
}

export interface LimitState {
  readonly definition: Pick<ClusterDefinition, "maxCount" | "maxCoreCount" | "nodearrays">;
  readonly usage: Usage;
  readonly consumption: Consumption;
  readonly quota: RegionQuota;
}

/** Every limit on one bucket with the room under it; the smallest decides. */
export function roomsOf(
  bucket: BucketDefinition,
  state: LimitState,
  placementGroupId?: string,
): readonly Room[] {
  const rooms = [...configuredRooms(bucket, state), ...quotaRooms(bucket, state)];
  if (placementGroupId === undefined) return rooms;
  const used = state.usage.group(bucket, placementGroupId).nodes;
  return [...rooms, room("placement group size", bucket.maxPlacementGroupSize - used)];
}

export function smallest(rooms: readonly Room[]): Room {
  return rooms.reduce((least, each) => (each.count < least.count ? each : least));
}

/** Rooms under the limits that the cluster's template sets. */
function configuredRooms(bucket: BucketDefinition, { definition, usage }: LimitState): readonly Room[] {
  const { vcpusAvailable } = bucket.size;
  const array = definition.nodearrays.find((each) => each.name === bucket.nodearray);
  const rooms = [
    room("cluster node count", definition.maxCount - usage.cluster.nodes),
    room("cluster core count", (definition.maxCoreCount - usage.cluster.cores) / vcpusAvailable),
  ];
  if (array === undefined) return rooms;
  const used = usage.array(array.name);
  return [
    ...rooms,
    room("node array node count", array.maxCount - used.nodes),
    room("node array core count", (array.maxCoreCount - used.cores) / vcpusAvailable),
  ];
}

/** Rooms under the quotas of the subscription; a constrained size is charged for the cores that it hides. */
export function quotaRooms(
  { size, spot }: BucketDefinition,
  { quota, consumption }: Pick<LimitState, "quota" | "consumption">,
): readonly Room[] {
  if (spot) return [room("regional spot quota", (quota.spotCores - consumption.spotCores) / size.vcpus)];
  const family = familyQuota(quota, size.family) - consumption.family(size.family);
  return [
    room("regional quota", (quota.cores - consumption.cores) / size.vcpus),
    room("family quota", family / size.vcpus),
  ];
}

function room(limit: LimitName, count: number): Room {
  return { limit, count: Math.max(0, Math.floor(count)) };
}

export function keyOf({ nodearray, machineType }: BucketDefinition): string {
  return `${nodearray}/${machineType}`;
}

function add(amounts: Map<string, Amount>, key: string, bucket: BucketDefinition): void {
  amounts.set(key, plus(amounts.get(key) ?? nothing, bucket));
}

function plus({ nodes, cores }: Amount, { size }: BucketDefinition): Amount {
  return { nodes: nodes + 1, cores: cores + size.vcpusAvailable };
}
