import { availableAt } from "./availability-trace.ts";
import type { Cluster } from "./cluster.ts";
import type { NodeArrayDefinition } from "./definition.ts";
import { evictionNoticeSeconds, redirect, stepAt, terminate } from "./node-life.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/**
 * Takes back what a trace no longer leaves, the newest node first, at each tick from `from` to `to`. Nodes that are going
 * count until they begin to go.
 */
export function takeBack(
  cluster: Cluster,
  { array, from, to }: { readonly array: NodeArrayDefinition; readonly from: number; readonly to: number },
): void {
  const { availability } = array;
  if (availability === undefined) return;
  const gap = availability.metadata.gap_seconds;
  const firstTick = Math.floor((from - cluster.startedAt) / gap) + 1;
  const lastTick = Math.min(Math.floor((to - cluster.startedAt) / gap), firstTick + mostTicks);
  for (let tick = firstTick; tick <= lastTick; tick++) {
    const at = cluster.startedAt + tick * gap;
    const wanted = wantedNodes(cluster, array, at);
    const excess = wanted.length - availableAt(availability, tick * gap);
    if (excess > 0) for (const node of wanted.slice(-excess)) cluster.population.put(evicted(node, at));
  }
}

/** A clock that jumps by months is followed this far. */
const mostTicks = 100_000;

function wantedNodes(cluster: Cluster, { name }: NodeArrayDefinition, at: number): readonly SimulatedNode[] {
  return [...cluster.population.living()]
    .filter(({ bucket, life }) => bucket.nodearray === name && life[0].at <= at)
    .filter(({ life }) => stepAt(life, at).target === "Started" && stepAt(life, at).holdsCores)
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** Azure takes a spot VM back: the node terminates without being asked. */
export function evicted(node: SimulatedNode, at: number): SimulatedNode {
  const ending = { terminateSeconds: evictionNoticeSeconds, fixed: false, reason: "SpotEvicted" } as const;
  const life = redirect(node.life, at, terminate({ at, from: stepAt(node.life, at), ...ending }));
  return { ...node, life };
}
