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
  atSeconds: number,
): Cluster {
  const listed = new Set(cluster.nodeArrays.map(({ name }) => name));
  const missing = (before?.cluster.nodeArrays ?? []).filter(({ name }) => !listed.has(name));
  const gone = missing.filter((array) => {
    const own = cluster.nodes.filter(({ nodeArray }) => nodeArray === array.name);
    const isKnown = array.goneAtSeconds !== undefined || hasUnreadArrays !== true;
    return isKnown && own.length > 0 && own.every(({ name }) => name !== array.name);
  });
  if (gone.length === 0) return cluster;
  return {
    ...cluster,
    nodeArrays: [...cluster.nodeArrays, ...gone.map((array) => asGone(array, atSeconds))],
  };
}

function asGone(array: NodeArray, atSeconds: number): NodeArray {
  const { goneAtSeconds = atSeconds } = array;
  return { ...array, goneAtSeconds, buckets: array.buckets.map(unusable) };
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

/** A template that is imported anew may be without an array for a moment. */
const graceSeconds = 300;

/**
 * Drains the nodes of arrays that have been gone for a while and were not switched off, each once, so that an operator may take one back.
 * Those whose array is listed again are taken back.
 */
export async function drainGone(
  ports: ControlPorts,
  before: Pick<Snapshot, "cluster" | "takenAtSeconds"> | undefined,
  now: Pick<Snapshot, "cluster" | "takenAtSeconds">,
): Promise<void> {
  const { takenAtSeconds: atSeconds } = now;
  const drainedBefore = new Set(before === undefined ? [] : nodesOfGone(before).map(({ nodeId }) => nodeId));
  const gone = nodesOfGone(now);
  const leaving = gone.filter(({ nodeId }) => !drainedBefore.has(nodeId));
  const stillGone = new Set(gone.map(({ nodeId }) => nodeId));
  const back = now.cluster.nodes.filter(({ nodeId }) => drainedBefore.has(nodeId) && !stillGone.has(nodeId));
  if (leaving.length + back.length === 0) return;
  const backIds = new Map(back.map((node) => [node.nodeId, reasonOf(node)]));
  await changeControl(ports, now.cluster.name, (control) => {
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
    now.cluster.name,
    leaving.flatMap((node) => drainOf(node, atSeconds)),
  );
}

function nodesOfGone({
  cluster,
  takenAtSeconds,
}: Pick<Snapshot, "cluster" | "takenAtSeconds">): readonly ClusterNode[] {
  const arrays = cluster.nodeArrays.filter(
    ({ enabled, goneAtSeconds }) =>
      enabled && goneAtSeconds !== undefined && takenAtSeconds - goneAtSeconds >= graceSeconds,
  );
  const gone = new Set(arrays.map(({ name }) => name));
  return cluster.nodes.filter(({ nodeArray }) => gone.has(nodeArray));
}

function drainOf(node: ClusterNode, atSeconds: number): readonly NotedEvent[] {
  return eventsOf({ kind: "drain", by: autoscaler, reason: reasonOf(node), atSeconds }, [node]);
}
