import { type Cluster, shortHostname } from "../../engine/index.ts";
import type { OutNode, SourceDemand } from "../../ports/index.ts";
import { isOutByItself, liveSources } from "../demand/live-demand.ts";

/** Nodes that a live source reports as out for its own reasons, in the order of the snapshot, with those reasons. */
export function outNodesOf(
  { nodes }: Pick<Cluster, "nodes">,
  demand: readonly SourceDemand[],
  nowSeconds: number,
): readonly OutNode[] {
  const byHostname = new Map(
    liveSources(demand, nowSeconds).flatMap(({ source, nodes }) =>
      nodes.filter(isOutByItself).map(({ hostname, stateBy, stateReason, stateSince }) => {
        const sinceSeconds = stateSince === undefined ? null : Date.parse(stateSince) / 1000;
        const said = { source, by: stateBy ?? null, why: stateReason ?? null, sinceSeconds };
        return [shortHostname(hostname), said] as const;
      }),
    ),
  );
  if (byHostname.size === 0) return [];
  return nodes.flatMap(({ nodeId, hostname }) => {
    const said = hostname === null ? undefined : byHostname.get(shortHostname(hostname));
    return said === undefined ? [] : [{ nodeId, ...said }];
  });
}
