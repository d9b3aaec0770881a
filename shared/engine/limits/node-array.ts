import { nothingUsed } from "./counters.ts";
import type { Limit } from "./limit.ts";
import { sum } from "./sums.ts";

/** CycleCloud's limits of a node array, in usable vcpus and in nodes. */
export const nodeArray = {
  scopeOf: ({ array }) => array.name,
  coresOf: ({ vcpuCount }) => vcpuCount,
  charges: ({ array, size }, counters) => {
    const scope = array.name;
    const used = counters.inUse.byArray.get(array.name) ?? nothingUsed;
    return [
      {
        scope,
        unit: "cores",
        quota: counters.quota(["array-cores", array.name], array.maxCoreCount, used.cores),
        perNode: size.vm.vcpuCount,
      },
      {
        scope,
        unit: "nodes",
        quota: counters.quota(["array-nodes", array.name], array.maxCount, used.nodes),
        perNode: 1,
      },
    ];
  },
  isInBucket: true,
  raise: {
    array: ({ maxCount, maxCoreCount }, { unit, more }) =>
      unit === "nodes" ? { maxCount: sum(maxCount, more) } : { maxCoreCount: sum(maxCoreCount, more) },
  },
} satisfies Limit;
