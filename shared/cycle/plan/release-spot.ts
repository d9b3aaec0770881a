import type { Cluster, Plan } from "../../engine/index.ts";
import type { SpotPair } from "../../ports/index.ts";
import type { DrainedRetirement } from "./drain.ts";
import type { SpotPlan } from "./plan-spot.ts";

/**
 * Spot nodes that still boot and that no job needs any more, when jobs of theirs went to regular nodes: nothing is bought
 * twice by a fallback. Nodes that are up go when they have been idle for `idle_timeout`, as always.
 */
export function releasedSpot(
  { plan, stances }: Pick<SpotPlan, "plan" | "stances">,
  facts: {
    readonly cluster: Cluster;
    readonly pairs: readonly SpotPair[];
    readonly leavingNodeIds: readonly string[];
    /** While demand is in doubt, no node is released: it may be needed. */
    readonly isInDoubt: boolean;
    readonly nowSeconds: number;
  },
): readonly DrainedRetirement[] {
  if (facts.isInDoubt || !fellBack(plan, stances)) return [];
  const unmatched = new Set(plan.unmatched);
  const leaving = new Set(facts.leavingNodeIds);
  const retired = new Set(plan.retire.map(({ nodeId }) => nodeId));
  return facts.cluster.nodes.flatMap((node): DrainedRetirement[] => {
    const { nodeId, name, nodeArray, hostname, status, targetState, keepAlive } = node;
    const isSpot = facts.pairs.some(({ spot }) => spot === nodeArray);
    const boots = targetState === "Started" && status !== "Ready" && status !== "Failed" && !keepAlive;
    if (!isSpot || !boots || !unmatched.has(name) || leaving.has(nodeId) || retired.has(nodeId)) return [];
    return [{ nodeId, name, nodeArray, hostname, cause: "spot-released", sinceSeconds: facts.nowSeconds }];
  });
}

/** A job that waited for spot nodes has a regular one. */
function fellBack(plan: Plan, stances: SpotPlan["stances"]): boolean {
  return [...stances].some(([place, stance]) => {
    const isOff = stance !== "first" && stance !== "SpotNotInterruptible";
    return isOff && (plan.jobs[place]?.granted ?? 0) > 0;
  });
}
