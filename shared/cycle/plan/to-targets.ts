import type { Json, Target, TargetWish } from "../../engine/index.ts";
import { accountOf, attributesOf, type NodeArrayTarget } from "../../messages/index.ts";
import type { RequestSet } from "../../ports/index.ts";

function liveSets(sets: readonly RequestSet[], nowSeconds: number): readonly RequestSet[] {
  return sets.filter((set) => set.expiresAtSeconds > nowSeconds);
}

/** The targets of request sets, in the engine's terms. An expired set has none. */
export function toTargets(sets: readonly RequestSet[], nowSeconds: number): readonly Target[] {
  return liveSets(sets, nowSeconds).flatMap(({ requestSet, arrays }) =>
    arrays.map((definition) => toTarget(definition, requestSet)),
  );
}

/**
 * Groups are, as in CycleCloud, nodes of a dynamic array of their own that extends the one which they were asked of:
 * `execute:64`, so that they are never taken for plain nodes of it.
 */
function toTarget(definition: NodeArrayTarget, requestSet: string): Target {
  const { Name, Extends, Dynamic = false, MachineType = [], CoreCount = null } = definition;
  const wish = wishOf(definition);
  const name = accountOf(definition);
  return {
    name,
    nodeArray: Dynamic ? (Extends ?? Name) : Name,
    dynamicArray: Dynamic || wish.kind === "groups" ? name : null,
    wish,
    vmSizes: typeof MachineType === "string" ? [MachineType] : MachineType,
    coresPerNode: CoreCount,
    // It came as JSON, and was checked to be an object of attributes.
    nodeAttributes: attributesOf(definition) as { readonly [key: string]: Json },
    requestSet,
  };
}

/** A request that names cores and nodes means the cores. Without either it asks for nothing. */
function wishOf(definition: NodeArrayTarget): TargetWish {
  const { TargetCount, TargetCoreCount, TargetGroupCount, GroupCoreCount, GroupInstanceCount } = definition;
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
