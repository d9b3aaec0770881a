import type { Limit, Place } from "./limit.ts";
import { raisedQuota } from "./sums.ts";

const scopeOf = ({ array }: Place) => (array.spot ? `${array.location} spot` : array.location);

/** Azure's quota of a region; spot has one of its own. It counts what Azure charges, which is more for constrained sizes. */
export const region = {
  scopeOf,
  coresOf: ({ vcpuQuotaCount }) => vcpuQuotaCount,
  charges: (home, counters) => {
    const { array, size } = home;
    return [
      {
        scope: scopeOf(home),
        unit: "cores",
        quota: counters.coreQuota(["region", array.location, String(array.spot)], size.limits.region),
        perNode: size.vm.vcpuQuotaCount,
      },
    ];
  },
  isInBucket: true,
  raise: { size: (limits, { more }) => ({ region: raisedQuota(limits.region, more) }) },
} satisfies Limit;
