import {
  type Bucket,
  type CoreQuota,
  countedInBucket,
  type LimitFigure,
  type NodeArray,
  type PlanInput,
} from "../../engine/index.ts";

/** More than anybody asks for, and small enough that sums stay exact. */
const plenty = 1_000_000_000;

/** The same input without one limit. What CycleCloud offers of a VM size is often that limit's own figure: it grows with it. */
export function withoutLimit(input: PlanInput, figure: LimitFigure): PlanInput {
  const { cluster, caps } = input;
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    ...arrayWithout(array, figure),
    buckets: array.buckets.map((bucket) => bucketWithout(array, bucket, figure)),
  }));
  const isCluster = figure.limit === "cluster";
  return {
    ...input,
    cluster: {
      ...cluster,
      nodeArrays,
      ...(isCluster && figure.unit === "nodes" ? { maxCount: plenty } : {}),
      ...(isCluster && figure.unit === "cores" ? { maxCoreCount: plenty } : {}),
    },
    ...(caps === undefined ? {} : { caps: capsWithout(caps, figure) }),
  };
}

function capsWithout(caps: NonNullable<PlanInput["caps"]>, { limit }: LimitFigure) {
  if (limit === "max-nodes-per-plan") return { ...caps, maxNodesPerPlan: null };
  if (limit === "max-cores") return { ...caps, maxCores: null };
  return limit === "monthly-budget" || limit === "unknown-price" ? { ...caps, budget: null } : caps;
}

function arrayWithout({ name }: NodeArray, { limit, scope, unit }: LimitFigure): Partial<NodeArray> {
  if (limit !== "node-array" || scope !== name) return {};
  return unit === "nodes" ? { maxCount: plenty } : { maxCoreCount: plenty };
}

function bucketWithout(array: NodeArray, bucket: Bucket, figure: LimitFigure): Bucket {
  if (!isUnder(array, bucket, figure)) return bucket;
  const { limits } = bucket;
  const { limit, nodesLeft } = figure;
  const isItsFigure =
    limit === "bucket" || (countedInBucket.has(limit) && limits.availableCount <= nodesLeft);
  return {
    ...bucket,
    limits: {
      ...limits,
      ...(isItsFigure ? { availableCount: plenty } : {}),
      ...(limit === "region" ? { region: open(limits.region) } : {}),
      ...(limit === "family" ? { family: open(limits.family) } : {}),
    },
  };
}

function open({ usedCores }: CoreQuota): CoreQuota {
  return { maxCores: usedCores + plenty, usedCores };
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
      return false;
  }
}
