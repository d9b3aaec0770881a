import type { Cluster, NodeHistory } from "../engine/index.ts";

/** How many boots of an array are needed for a median. */
const fewestBoots = 3;

/** Seconds that a node of the array takes until a plan sees it Ready, by the median of those remembered; null: unknown. */
export type BootSecondsOf = (nodeArray: string) => number | null;

/**
 * How long earlier boots took. History rows do not name the node array: existing nodes have it, and for those that are
 * gone the start of the name decides. With too few boots of the array, those of the whole cluster count.
 */
export function bootSecondsOf(history: readonly NodeHistory[], cluster: Cluster): BootSecondsOf {
  const arrayById = new Map(cluster.nodes.map((node) => [node.nodeId, node.nodeArray]));
  const arrays = cluster.nodeArrays.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const byArray = new Map<string, number[]>();
  const all: number[] = [];
  for (const row of history) {
    if (row.readySeconds === null || row.readySeconds <= row.createdSeconds) continue;
    const took = row.readySeconds - row.createdSeconds;
    const array = arrayById.get(row.nodeId) ?? arrays.find((name) => row.name.startsWith(`${name}-`));
    all.push(took);
    if (array === undefined) continue;
    const known = byArray.get(array);
    if (known === undefined) byArray.set(array, [took]);
    else known.push(took);
  }
  const medians = new Map([...byArray].map(([array, times]) => [array, medianOf(times)]));
  const median = medianOf(all);
  return (nodeArray) => medians.get(nodeArray) ?? median;
}

function medianOf(times: readonly number[]): number | null {
  if (times.length < fewestBoots) return null;
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
