import type { Limit, Place } from "./limit.ts";
import { raisedQuota } from "./sums.ts";

const scopeOf = ({ array, size }: Place) =>
  array.spot || size === undefined ? null : `${array.location}/${size.vm.family}`;

/**
 * Azure's quota of a VM family in a region, in the cores that Azure charges. CycleCloud reports none for spot arrays: there
 * the region's spot quota stands for it.
 */
export const family = {
  scopeOf,
  coresOf: ({ vcpuQuotaCount }) => vcpuQuotaCount,
  charges: (home, counters) => {
    const { array, size } = home;
    const scope = scopeOf(home);
    if (scope === null) return [];
    const quota = counters.coreQuota(["family", array.location, size.vm.family], size.limits.family);
    return [{ scope, unit: "cores", quota, perNode: size.vm.vcpuQuotaCount }];
  },
  isInBucket: true,
  raise: { size: (limits, { more }) => ({ family: raisedQuota(limits.family, more) }) },
} satisfies Limit;
