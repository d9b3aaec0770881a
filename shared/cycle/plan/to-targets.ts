import type { Cluster, Json, SpareWish, Target, TargetWish } from "../../engine/index.ts";
import { accountOf, asksForSpares, attributesOf, type NodeArrayTarget } from "../../messages/index.ts";
import type { RequestSet } from "../../ports/index.ts";

type Arrays = Pick<Cluster, "nodeArrays" | "nodes">;

/** The targets of request sets, in the engine's terms. An expired set has none. */
export function toTargets(
  sets: readonly RequestSet[],
  { cluster, nowSeconds }: { readonly cluster: Arrays; readonly nowSeconds: number },
): readonly Target[] {
  return sets
    .filter(({ expiresAtSeconds }) => expiresAtSeconds > nowSeconds)
    .flatMap(({ requestSet, arrays, expiresAtSeconds, isLasting }) =>
      arrays.map((definition) => ({
        ...toTarget(definition, requestSet, cluster),
        ...(isLasting !== true && { untilSeconds: expiresAtSeconds }),
      })),
    );
}

/**
 * Groups are, as in CycleCloud, nodes of a dynamic array of their own that extends the one which they were asked of:
 * `execute:64`, so that they are never taken for plain nodes of it.
 */
function toTarget(definition: NodeArrayTarget, requestSet: string, cluster: Arrays): Target {
  const { Name, Extends, Dynamic = false, MachineType = [], CoreCount = null } = definition;
  const wish = wishOf(definition);
  const name = accountOf(definition);
  const dynamicArray = wish.kind === "groups" ? name : Dynamic ? Name : null;
  const vmSizes = typeof MachineType === "string" ? [MachineType] : MachineType;
  return {
    name,
    nodeArray: Dynamic ? (Extends ?? arrayFor({ name: dynamicArray, vmSizes }, cluster) ?? Name) : Name,
    dynamicArray,
    wish,
    vmSizes,
    coresPerNode: CoreCount,
    // It came as JSON, and was checked to be an object of attributes.
    nodeAttributes: attributesOf(definition) as { readonly [key: string]: Json },
    requestSet,
  };
}

/**
 * Which array a dynamic one that extends none gets its nodes from: CycleCloud makes nodes in arrays of the cluster only. The one
 * that has such nodes already; else that of the first VM size which one has, regular before spot, by CycleCloud's priority.
 */
function arrayFor(
  { name, vmSizes }: { readonly name: string | null; readonly vmSizes: readonly string[] },
  { nodeArrays, nodes }: Arrays,
): string | undefined {
  const has = nodes.find(({ dynamicArray }) => dynamicArray !== undefined && dynamicArray === name);
  if (has !== undefined) return has.nodeArray;
  const inOrder = nodeArrays
    .filter(({ enabled }) => enabled)
    .toSorted((a, b) => Number(a.spot) - Number(b.spot) || (b.priority ?? 1) - (a.priority ?? 1));
  const offers = (vmSize: string) =>
    inOrder.find(({ buckets }) => buckets.some((bucket) => bucket.vmSize === vmSize));
  const first = vmSizes.map(offers).find((array) => array !== undefined);
  // Without one, the refusal names a size that an array of the cluster lacks.
  return (first ?? inOrder[0])?.name;
}

/** A request that names cores and nodes means the cores. Without either it asks for nothing. */
function wishOf(definition: NodeArrayTarget): TargetWish {
  if (asksForSpares(definition)) return spareWishOf(definition);
  const { TargetCount, TargetCoreCount, TargetGpuCount } = definition;
  const { TargetGroupCount, GroupCoreCount, GroupInstanceCount } = definition;
  if (TargetGpuCount !== undefined) return { kind: "gpus", count: TargetGpuCount };
  if (TargetGroupCount !== undefined)
    return {
      kind: "groups",
      count: TargetGroupCount,
      size:
        GroupCoreCount === undefined
          ? { kind: "nodes", count: GroupInstanceCount ?? 1 }
          : { kind: "cores", count: GroupCoreCount },
    };
  return TargetCoreCount === undefined
    ? { kind: "nodes", count: TargetCount ?? 0 }
    : { kind: "cores", count: TargetCoreCount };
}

function spareWishOf(definition: NodeArrayTarget): SpareWish {
  const { SpareCount = 0, SpareSlots = 0, SparePercent = 0, SpareCostPerHour, SlotResources } = definition;
  const most = {
    perCent: SparePercent,
    ...(SpareCostPerHour !== undefined && { mostUsdPerHour: SpareCostPerHour }),
  };
  const count = SlotResources === undefined ? SpareCount : SpareSlots;
  // What is left to us has a number in targets that hold; as long as it is not known, it asks for nothing.
  const wish = { count: count === "auto" ? 0 : count, ...most };
  return SlotResources === undefined
    ? { kind: "spares", ...wish }
    : { kind: "slots", slot: SlotResources, ...wish };
}
