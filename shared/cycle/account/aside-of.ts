import type { SeenAside } from "../../accounting/index.ts";
import {
  type Cluster,
  type EngineSettings,
  forNodeArray,
  nodesOfArrays,
  runningIn,
} from "../../engine/index.ts";

/** What a cluster pays beside the nodes that run, each kind and price once. */
export function asideOf(
  cluster: Cluster,
  settings: Pick<EngineSettings, "deallocate"> | undefined,
): readonly SeenAside[] {
  return [...unusedReservations(cluster), ...deallocatedNodes(cluster, settings)].filter(
    ({ nodes }) => nodes > 0,
  );
}

/** The price of a reserved node is not known where sizes of different prices share a reservation. */
function unusedReservations(cluster: Cluster): readonly SeenAside[] {
  const { reservedNodes } = runningIn(cluster);
  const reserving = cluster.nodeArrays
    .flatMap(({ buckets }) => buckets)
    .flatMap(({ reservation, pricePerHourUsd = null }) =>
      reservation === undefined ? [] : [{ ...reservation, pricePerHourUsd }],
    );
  return [...Map.groupBy(reserving, ({ name }) => name)].flatMap(([name, [first, ...others]]) => {
    if (first === undefined) return [];
    const isOne = others.every(({ pricePerHourUsd }) => pricePerHourUsd === first.pricePerHourUsd);
    const nodes = Math.max(0, first.nodes - (reservedNodes.get(name) ?? 0));
    return [{ kind: "reserved", name, nodes, usdPerHour: isOne ? first.pricePerHourUsd : null }];
  });
}

function deallocatedNodes(
  cluster: Cluster,
  settings: Pick<EngineSettings, "deallocate"> | undefined,
): readonly SeenAside[] {
  const asleep = nodesOfArrays(cluster).filter(({ status }) => status === "Deallocated");
  return [...Map.groupBy(asleep, ({ nodeArray }) => nodeArray)].map(([name, nodes]) => {
    const set = settings?.deallocate && forNodeArray(settings.deallocate, name);
    return { kind: "deallocated", name, nodes: nodes.length, usdPerHour: set?.diskUsdPerHour ?? null };
  });
}
