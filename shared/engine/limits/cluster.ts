import type { Limit, LimitCharge } from "./limit.ts";
import { sum } from "./sums.ts";

/** CycleCloud's limits of the whole cluster, in usable vcpus and in nodes. */
export const cluster = {
  scopeOf: (place) => place.cluster.name,
  coresOf: ({ vcpuCount }) => vcpuCount,
  charges: (home, counters) => {
    const { input, inUse } = counters;
    const scope = home.cluster.name;
    const cores: LimitCharge = {
      scope,
      unit: "cores",
      quota: counters.quota(["cluster-cores"], input.cluster.maxCoreCount, inUse.cores),
      perNode: home.size.vm.vcpuCount,
    };
    // scalelib reads the most nodes of a cluster and never counts them.
    if (input.settings.compatibility === "scalelib") return [cores];
    const quota = counters.quota(["cluster-nodes"], input.cluster.maxCount, inUse.nodes);
    return [cores, { scope, unit: "nodes", quota, perNode: 1 }];
  },
  isInBucket: true,
  raise: {
    cluster: ({ maxCount, maxCoreCount }, { unit, more }) =>
      unit === "nodes" ? { maxCount: sum(maxCount, more) } : { maxCoreCount: sum(maxCoreCount, more) },
  },
} satisfies Limit;
