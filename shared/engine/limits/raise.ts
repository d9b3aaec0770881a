import type { Bucket, Cluster, ClusterNode, NodeArray } from "../model/bucket.ts";
import type { Caps } from "../model/caps.ts";
import { capNames, type LimitName } from "../model/limits.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { BucketName } from "../model/reasons.ts";
import type { LimitFigure } from "./figure.ts";
import type { Limit, Place } from "./limit.ts";
import { limits } from "./limits.ts";

/** Whether somebody can raise it. */
export function isRaisable(name: LimitName): boolean {
  const limit: Limit = limits[name];
  return limit.raise !== undefined;
}

/** Whether what CycleCloud still offers of a bucket has it applied already. */
export function isInBucket(name: LimitName): boolean {
  return limits[name].isInBucket === true;
}

/** Whether a node counts under the limit that a bucket has, so that it makes room there when it goes. */
export function countsWith(
  cluster: Cluster,
  bucket: BucketName,
  name: LimitName,
): (node: Pick<ClusterNode, "nodeArray" | "vmSize" | "placementGroup">) => boolean {
  const scopeOf = scopesIn(cluster);
  const own = scopeOf(bucket, name);
  return (node) => own !== null && scopeOf(node, name) === own;
}

/** What counts together under a limit has one scope; null: the limit counts no such nodes. */
export function scopesIn(cluster: Cluster): (bucket: BucketName, name: LimitName) => string | null {
  const arrays = new Map(cluster.nodeArrays.map((array) => [array.name, array]));
  return ({ nodeArray, vmSize, placementGroup }, name) => {
    const array = arrays.get(nodeArray);
    if (array === undefined) return null;
    const size = array.buckets.find((each) => each.vmSize === vmSize);
    const limit: Limit = limits[name];
    return limit.scopeOf?.({ cluster, array, vmSize, size, placementGroup }) ?? null;
  };
}

/** More than anybody asks for, and small enough that sums stay exact. */
const plenty = 1_000_000_000;

/** The same input without one limit. */
export function withoutLimit(input: PlanInput, figure: LimitFigure): PlanInput {
  const { cluster, caps } = input;
  const raised = { ...input, cluster: raisedCluster(cluster, figure, plenty) };
  const cap = capNames.find((name) => name === figure.limit);
  return caps === undefined || cap === undefined ? raised : { ...raised, caps: limits[cap].without(caps) };
}

/** The caps with one raised by `more`, in its unit. */
export function raisedCaps(caps: Caps, { limit, unit }: LimitFigure, more: number): Caps {
  return { ...caps, ...limits[limit].raise?.caps?.(caps, { unit, more }) };
}

/**
 * The same cluster with one limit raised by `more`, in its unit. What CycleCloud offers of a VM size is often that limit's own
 * figure: it grows with it.
 */
export function raisedCluster(cluster: Cluster, figure: LimitFigure, more: number): Cluster {
  const by = { unit: figure.unit, more };
  const limit: Limit = limits[figure.limit];
  const { raise } = limit;
  if (raise === undefined) return cluster;
  const isIts = (place: Place) => limit.scopeOf?.(place) === figure.scope;
  const raisedSize = (array: NodeArray, size: Bucket): Bucket => {
    if (!isIts({ cluster, array, vmSize: size.vmSize, size, placementGroup: null })) return size;
    const { availableCount } = size.limits;
    const isItsFigure = limit.isInBucket && availableCount <= figure.nodesLeft;
    const cores = by.unit === "nodes" ? 1 : Math.max(1, limit.coresOf?.(size.vm) ?? 1);
    return {
      ...size,
      limits: {
        ...size.limits,
        ...(isItsFigure && { availableCount: availableCount + Math.floor(more / cores) }),
        ...raise.size?.(size.limits, by),
      },
    };
  };
  const raisedArray = (array: NodeArray): NodeArray => {
    const place = { cluster, array, vmSize: "", size: undefined, placementGroup: null };
    return {
      ...array,
      ...(isIts(place) && raise.array?.(array, by)),
      buckets: array.buckets.map((size) => raisedSize(array, size)),
    };
  };
  return {
    ...cluster,
    ...raise.cluster?.(cluster, by),
    nodeArrays: cluster.nodeArrays.map(raisedArray),
  };
}
