import type { Bucket, Cluster, ClusterNode, NodeArray } from "../../engine/index.ts";
import type { ClusterReading, NotedEvent, Snapshot } from "../../ports/index.ts";
import { type ControlPorts, changeControl } from "../control.ts";
import { eventsOf, noteEvents } from "../note-events.ts";

/**
 * The cluster with the node arrays that CycleCloud no longer lists and that still have nodes, as they were when it last
 * listed them. Without their array these nodes would look like head nodes: in no list of ours, and never deleted.
 *
 * An array is gone only if it was listed before, each array that is listed now could be read, and no node has its name: a
 * head node is named as its template.
 */
export function withGoneArrays(
  { cluster, hasUnreadArrays }: ClusterReading,
  before: Pick<Snapshot, "cluster"> | undefined,
): Cluster {
  const listed = new Set(cluster.nodeArrays.map(({ name }) => name));
  const missing = (before?.cluster.nodeArrays ?? []).filter(({ name }) => !listed.has(name));
  const gone = missing.filter((array) => {
    const own = cluster.nodes.filter(({ nodeArray }) => nodeArray === array.name);
    const isKnown = array.gone === true || hasUnreadArrays !== true;
    return isKnown && own.length > 0 && own.every(({ name }) => name !== array.name);
  });
  if (gone.length === 0) return cluster;
  return { ...cluster, nodeArrays: [...cluster.nodeArrays, ...gone.map(asGone)] };
}

function asGone(array: NodeArray): NodeArray {
  return { ...array, gone: true, buckets: array.buckets.map(unusable) };
}

/** No new node can be made of it, and its old quotas bind no other one: of several figures the planner takes the strictest. */
function unusable(bucket: Bucket): Bucket {
  const unlimited = { maxCores: Number.MAX_SAFE_INTEGER, usedCores: 0 };
  const limits = { ...bucket.limits, availableCount: 0, region: unlimited, family: unlimited };
  return { ...bucket, valid: false, invalidReason: "node array no longer listed", limits };
}

const autoscaler = "the autoscaler";

function reasonOf({ nodeArray }: Pick<ClusterNode, "nodeArray">): string {
  return `CycleCloud no longer lists its node array "${nodeArray}"`;
}

/**
 * Drains the nodes of arrays that are gone and were not switched off, each once, so that an operator may take one back. Those whose array is listed
 * again are taken back.
 */
export async function drainGone(
  ports: ControlPorts,
  {
    before,
    now,
    atSeconds,
  }: { readonly before: Cluster | undefined; readonly now: Cluster; readonly atSeconds: number },
): Promise<void> {
  const drainedBefore = new Set(nodesOfGone(before).map(({ nodeId }) => nodeId));
  const leaving = nodesOfGone(now).filter(({ nodeId }) => !drainedBefore.has(nodeId));
  const stillGone = new Set(nodesOfGone(now).map(({ nodeId }) => nodeId));
  const back = now.nodes.filter(({ nodeId }) => drainedBefore.has(nodeId) && !stillGone.has(nodeId));
  if (leaving.length + back.length === 0) return;
  const backIds = new Map(back.map((node) => [node.nodeId, reasonOf(node)]));
  await changeControl(ports, now.name, (control) => {
    const kept = control.drainedNodes.filter(
      ({ nodeId, by, reason }) => by !== autoscaler || reason !== backIds.get(nodeId),
    );
    const drainedIds = new Set(kept.map(({ nodeId }) => nodeId));
    const drained = leaving
      .filter(({ nodeId }) => !drainedIds.has(nodeId))
      .map((node) => ({
        nodeId: node.nodeId,
        name: node.name,
        by: autoscaler,
        reason: reasonOf(node),
        atSeconds,
      }));
    return { ...control, drainedNodes: [...kept, ...drained] };
  });
  await noteEvents(
    ports,
    now.name,
    leaving.flatMap((node) => drainOf(node, atSeconds)),
  );
}

function nodesOfGone(cluster: Cluster | undefined): readonly ClusterNode[] {
  const arrays = cluster?.nodeArrays.filter((array) => array.gone === true && array.enabled) ?? [];
  const gone = new Set(arrays.map(({ name }) => name));
  return cluster?.nodes.filter(({ nodeArray }) => gone.has(nodeArray)) ?? [];
}

function drainOf(node: ClusterNode, atSeconds: number): readonly NotedEvent[] {
  return eventsOf({ kind: "drain", by: autoscaler, reason: reasonOf(node), atSeconds }, [node]);
}
