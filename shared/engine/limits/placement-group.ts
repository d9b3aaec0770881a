import { keyOf } from "./counters.ts";
import type { Limit, Place } from "./limit.ts";

const scopeOf = ({ array, vmSize, placementGroup: group }: Place) =>
  group === null ? null : `${array.name}/${vmSize}/${group}`;

/** How many nodes of a size one placement group holds. Azure sets it, and nobody can raise it. */
export const placementGroup = {
  scopeOf,
  charges: (home, counters) => {
    const { array, size, placementGroup: group } = home;
    const scope = scopeOf(home);
    if (scope === null || group === null) return [];
    const reported = size.placementGroups.find(({ name }) => name === group)?.activeCount ?? 0;
    const seen = counters.inUse.byGroup.get(keyOf(array.name, size.vmSize, group)) ?? 0;
    const key = ["placement-group", array.name, size.vmSize, group];
    const quota = counters.quota(key, size.limits.maxPlacementGroupSize, Math.max(reported, seen));
    return [{ scope, unit: "nodes", quota, perNode: 1 }];
  },
} satisfies Limit;
