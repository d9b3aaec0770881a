import type { ClusterStatus } from "../api/index.ts";
import { isEviction, timesEvicted } from "../cycle/index.ts";
import { type Cluster, kindName, paidNodes, sizesByKind } from "../engine/index.ts";
import type { BackedOff, NodeLoss } from "../ports/index.ts";

const evictedWithinSeconds = 3_600;

/** How spot nodes fare. Null where the cluster has no spot array. */
export function spotStatus(facts: {
  readonly cluster: Cluster | undefined;
  readonly losses: readonly NodeLoss[];
  readonly backedOff: readonly BackedOff[];
  readonly nowSeconds: number;
}): ClusterStatus["spot"] {
  const { cluster, losses, backedOff, nowSeconds } = facts;
  const arrays = new Set(cluster?.nodeArrays.flatMap(({ name, spot }) => (spot ? [name] : [])));
  if (cluster === undefined || arrays.size === 0) return null;
  const recent = losses.filter(
    (loss) => isEviction(loss) && loss.atSeconds > nowSeconds - evictedWithinSeconds,
  );
  const bySize = Map.groupBy(recent, kindName);
  return {
    ...coresOf(cluster, arrays),
    evicted: [...bySize.values()]
      .flatMap(([first, ...more]) => {
        if (first === undefined) return [];
        const { nodeArray, vmSize } = first;
        return [{ nodeArray, vmSize, nodes: timesEvicted([first, ...more]) }];
      })
      .toSorted((a, b) => b.nodes - a.nodes),
    backedOff: backedOff.filter(({ nodeArray }) => arrays.has(nodeArray)),
  };
}

/** Of nodes that cost money. A size whose cores are not known has none here. */
function coresOf(
  cluster: Cluster,
  spotArrays: ReadonlySet<string>,
): { readonly cores: number; readonly spotCores: number } {
  const sizes = sizesByKind(cluster);
  let cores = 0;
  let spotCores = 0;
  for (const { node } of paidNodes(cluster)) {
    const own = sizes.get(kindName(node))?.vm.vcpuCount ?? 0;
    cores += own;
    if (spotArrays.has(node.nodeArray)) spotCores += own;
  }
  return { cores, spotCores };
}
