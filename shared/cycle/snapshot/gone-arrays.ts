import {
  type Bucket,
  type Cluster,
  type ClusterNode,
  type EngineSettings,
  isIgnored,
  type NodeArray,
} from "../../engine/index.ts";
import type { ClusterReading, Snapshot } from "../../ports/index.ts";
import { type ControlPorts, changeControl, stillThere, withIgnored } from "../control.ts";
import { eventsOf, noteEvents } from "../note-events.ts";

/**
 * The cluster with the node arrays that CycleCloud no longer lists and that still have nodes, as they were when it last
 * listed them. Without their array these nodes would look like head nodes: in no list of ours, and never deleted.
 *
 * An array is gone only if it was listed before, each array that is listed now could be read, and no node has its name: a
 * head node is named as its template. Its time begins again after a gap, and while no array at all is listed, unless its
 * nodes are drained already.
 */
export function withGoneArrays(
  { cluster, hasUnreadArrays }: ClusterReading,
  before: Moment | undefined,
  { atSeconds, readEverySeconds }: { readonly atSeconds: number; readonly readEverySeconds: number },
): Cluster {
  const listed = new Set(cluster.nodeArrays.map(({ name }) => name));
  const missing = (before?.cluster.nodeArrays ?? []).filter(({ name }) => !listed.has(name));
  const gone = missing.filter((array) => {
    const own = cluster.nodes.filter(({ nodeArray }) => nodeArray === array.name);
    const isKnown = array.goneAtSeconds !== undefined || hasUnreadArrays !== true;
    return isKnown && own.length > 0 && own.every(({ name }) => name !== array.name);
  });
  if (before === undefined || gone.length === 0) return cluster;
  const hasGap = atSeconds - before.takenAtSeconds > Math.max(longestGapSeconds, 2 * readEverySeconds);
  const startsAnew = hasGap || listed.size === 0;
  const kept = gone.map((array): NodeArray => {
    const { goneAtSeconds = atSeconds } = array;
    const counts = !startsAnew || isForGood(array, before.takenAtSeconds);
    return {
      ...array,
      goneAtSeconds: counts ? goneAtSeconds : atSeconds,
      buckets: array.buckets.map(unusable),
    };
  });
  const known = new Map(before.cluster.nodes.map((node) => [node.nodeId, node]));
  const nodes = cluster.nodes.map((node) => {
    const array = kept.find(({ name }) => name === node.nodeArray);
    if (array === undefined) return node;
    const { location, spot } = known.get(node.nodeId) ?? array;
    return { ...node, location: node.location || location, spot: node.spot || spot };
  });
  return { ...cluster, nodeArrays: [...cluster.nodeArrays, ...kept], nodes };
}

type Moment = Pick<Snapshot, "cluster" | "takenAtSeconds">;

/** An array may have been listed between two readings that are further apart. */
const longestGapSeconds = 120;

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

function isForGood({ goneAtSeconds }: NodeArray, atSeconds: number): boolean {
  return goneAtSeconds !== undefined && atSeconds - goneAtSeconds >= graceSeconds;
}

/**
 * Drains the nodes of arrays that have been gone for a while and were not switched off, each once, so that an operator may take one back.
 * A drain that would end by itself becomes ours. Those whose array is listed again are taken back, and nodes that an operator
 * ignores are left alone. Returns whether a plan is due, which tells schedulers.
 */
export async function drainGone(
  ports: ControlPorts,
  settings: EngineSettings,
  { before, now }: { readonly before: Moment | undefined; readonly now: Moment & Pick<Snapshot, "setAside"> },
): Promise<boolean> {
  const { takenAtSeconds: atSeconds } = now;
  const drainedBefore = new Set(before === undefined ? [] : nodesOfGone(before).map(({ nodeId }) => nodeId));
  const gone = nodesOfGone(now);
  const leaving = gone.filter(({ nodeId }) => !drainedBefore.has(nodeId));
  const stillGone = new Set(gone.map(({ nodeId }) => nodeId));
  if (leaving.length === 0 && [...drainedBefore].every((nodeId) => stillGone.has(nodeId))) return false;
  const back = now.cluster.nodes.filter(({ nodeId }) => drainedBefore.has(nodeId) && !stillGone.has(nodeId));
  const backIds = new Map(back.map((node) => [node.nodeId, reasonOf(node)]));
  const control = await changeControl(ports, now.cluster.name, (current) => {
    const { ignoredNodes } = withIgnored(settings, current);
    const others = stillThere(current.drainedNodes, now).filter(
      ({ nodeId, by, reason }) => by !== autoscaler || reason !== backIds.get(nodeId),
    );
    const forGood = others.filter(({ untilSeconds }) => untilSeconds === undefined);
    const forGoodIds = new Set(forGood.map(({ nodeId }) => nodeId));
    const drained = leaving
      .filter((node) => !forGoodIds.has(node.nodeId) && !isIgnored(node, ignoredNodes))
      .map((node) => ({
        nodeId: node.nodeId,
        name: node.name,
        by: autoscaler,
        reason: reasonOf(node),
        atSeconds,
      }));
    const drainedIds = new Set(drained.map(({ nodeId }) => nodeId));
    const kept = others.filter(({ nodeId }) => !drainedIds.has(nodeId));
    return { ...current, drainedNodes: [...kept, ...drained] };
  });
  const ours = control.drainedNodes.filter(({ by }) => by === autoscaler);
  await noteEvents(
    ports,
    now.cluster.name,
    ours.flatMap((row) =>
      eventsOf(
        { ...row, kind: "drain" },
        leaving.filter(({ nodeId }) => nodeId === row.nodeId),
      ),
    ),
  );
  return true;
}

function nodesOfGone({ cluster, takenAtSeconds }: Moment): readonly ClusterNode[] {
  const arrays = cluster.nodeArrays.filter((array) => array.enabled && isForGood(array, takenAtSeconds));
  const gone = new Set(arrays.map(({ name }) => name));
  return cluster.nodes.filter(({ nodeArray }) => gone.has(nodeArray));
}
