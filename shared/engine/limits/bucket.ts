import type { Limit, Place } from "./limit.ts";

const scopeOf = ({ array, vmSize }: Place) => `${array.name}/${vmSize}`;

/** What CycleCloud still offers of a VM size of an array. */
export const bucket = {
  scopeOf,
  charges: (home, counters) => [
    {
      scope: scopeOf(home),
      unit: "nodes",
      quota: counters.quota(["bucket", home.array.name, home.vmSize], home.size.limits.availableCount, 0),
      perNode: 1,
    },
  ],
  shown: ({ limits }) => ({ max: limits.maxCount, used: limits.activeCount }),
  raise: { size: ({ availableCount }, { more }) => ({ availableCount: availableCount + more }) },
} satisfies Limit;
