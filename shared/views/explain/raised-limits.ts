import {
  type Bucket,
  type Cluster,
  type CoreQuota,
  countedInBucket,
  type LimitFigure,
  type NodeArray,
  type PlanInput,
} from "../../engine/index.ts";

/** More than anybody asks for, and small enough that sums stay exact. */
const plenty = 1_000_000_000;

/** The same input without one limit. */
export function withoutLimit(input: PlanInput, figure: LimitFigure): PlanInput {
  const { cluster, caps } = input;
  return {
    ...input,
    cluster: raisedCluster(cluster, figure, plenty),
    ...(caps === undefined ? {} : { caps: capsWithout(caps, figure) }),
  };
}

/**
 * The same cluster with one limit raised by `more`, in its unit. What CycleCloud offers of a VM size is often that limit's own
 * figure: it grows with it.
 */
export function raisedCluster(cluster: Cluster, figure: LimitFigure, more: number): Cluster {
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    ...raisedArray(array, figure, more),
    buckets: array.buckets.map((bucket) => raisedBucket(array, bucket, figure, more)),
  }));
  const { limit, unit } = figure;
  if (limit !== "cluster") return { ...cluster, nodeArrays };
  return unit === "nodes"
    ? { ...cluster, nodeArrays, maxCount: sum(cluster.maxCount, more) }
    : { ...cluster, nodeArrays, maxCoreCount: sum(cluster.maxCoreCount, more) };
}

function capsWithout(caps: NonNullable<PlanInput["caps"]>, { limit }: LimitFigure) {
  if (limit === "max-nodes-per-plan") return { ...caps, maxNodesPerPlan: null };
  if (limit === "max-cores") return { ...caps, maxCores: null };
  return limit === "monthly-budget" || limit === "unknown-price" ? { ...caps, budget: null } : caps;
}

function raisedArray(
  array: NodeArray,
  { limit, scope, unit }: LimitFigure,
  more: number,
): Partial<NodeArray> {
  if (limit !== "node-array" || scope !== array.name) return {};
  return unit === "nodes"
    ? { maxCount: sum(array.maxCount, more) }
    : { maxCoreCount: sum(array.maxCoreCount, more) };
}

/** "No limit" is the largest whole number, and stays that. */
function sum(max: number, more: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, max + more);
}

function raisedBucket(array: NodeArray, bucket: Bucket, figure: LimitFigure, more: number): Bucket {
  if (!isUnder(array, bucket, figure)) return bucket;
  const { limits, vm } = bucket;
  const { limit, unit, nodesLeft } = figure;
  const isItsFigure =
    limit === "bucket" || (countedInBucket.has(limit) && limits.availableCount <= nodesLeft);
  const coresOfOne = limit === "region" || limit === "family" ? vm.vcpuQuotaCount : vm.vcpuCount;
  const moreNodes = unit === "nodes" ? more : Math.floor(more / Math.max(1, coresOfOne));
  return {
    ...bucket,
    limits: {
      ...limits,
      ...(isItsFigure ? { availableCount: limits.availableCount + moreNodes } : {}),
      ...(limit === "region" ? { region: raisedQuota(limits.region, more) } : {}),
      ...(limit === "family" ? { family: raisedQuota(limits.family, more) } : {}),
    },
  };
}

function raisedQuota({ maxCores, usedCores }: CoreQuota, more: number): CoreQuota {
  return { maxCores: sum(maxCores, more), usedCores };
}

function isUnder(array: NodeArray, { vmSize, vm }: Bucket, { limit, scope }: LimitFigure): boolean {
  switch (limit) {
    case "bucket":
      return scope === `${array.name}/${vmSize}`;
    case "region":
      return scope === (array.spot ? `${array.location} spot` : array.location);
    case "family":
      return !array.spot && scope === `${array.location}/${vm.family}`;
    case "node-array":
      return scope === array.name;
    case "cluster":
      return true;
    case "placement-group":
    case "spot-share":
    case "max-nodes-per-plan":
    case "max-cores":
    case "monthly-budget":
    case "unknown-price":
    case "back-off":
    case "budget":
      return false;
  }
}
