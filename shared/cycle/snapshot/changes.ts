import { type Cluster, type ClusterNode, shortHostname } from "../../engine/index.ts";
import type { SchedulerEvent } from "../../messages/index.ts";
import type { Ids, NodeChange, Snapshot } from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";

/** Assumed: a machine takes longer from its request to the start of its daemon. */
const shortestBootSeconds = 30;

/**
 * The changes that schedulers are sent: nodes that are gone, and nodes that became Ready and have a host name, without which no
 * scheduler can use them. A node with another host name is gone under the old one. Those that are gone come first: a node that
 * joined may have the host name of one of them. Empty without an earlier snapshot.
 *
 * A change is as old as the reading that shows it, `nowSeconds`. Where the next machine of the name is there already, as after an
 * outage of ours, its daemon may have started since the machine before it was last seen. Such a deletion counts from 30 seconds
 * after the reading before was begun: the earliest time at which the next machine can have a daemon.
 *
 * A change is never earlier than the changes before it, because agents handle changes by their time. A reading may take longer
 * than 30 seconds, and is stamped at its end.
 */
export function nodeChanges(before: Snapshot | undefined, now: Snapshot, nowSeconds: number): NodeChange[] {
  if (before === undefined) return [];
  const { changedAtSeconds = 0 } = before;
  // A clock that was ahead does not count.
  const earliestSeconds = isAhead(changedAtSeconds, nowSeconds) ? 0 : changedAtSeconds;
  const latestSeconds = Math.max(earliestSeconds, nowSeconds);
  const then = new Map(before.cluster.nodes.map((node) => [node.nodeId, node]));
  const awake = now.cluster.nodes.filter((node) => !isAsleep(node));
  const awakeIds = new Set(awake.map(({ nodeId }) => nodeId));
  const names = new Set(awake.map(({ name }) => name));
  const renamed = now.cluster.nodes.flatMap((node) => {
    const old = then.get(node.nodeId);
    return isUp(old) && isRenamed(old, node) ? [old] : [];
  });
  const joined = now.cluster.nodes.filter((node) => {
    const old = then.get(node.nodeId);
    return isUp(node) && (!isUp(old) || isRenamed(old, node));
  });
  const deleted = before.cluster.nodes.filter((node) => !isAsleep(node) && !awakeIds.has(node.nodeId));
  const { replaced = [], gone = [] } = Object.groupBy(deleted, ({ name }) =>
    names.has(name) ? "replaced" : "gone",
  );
  const bootSeconds = Math.min(before.takenAtSeconds + shortestBootSeconds, nowSeconds);
  const soonestSeconds = Math.max(earliestSeconds, bootSeconds);
  const anew = change("node-deleted", [...replaced, ...renamed], soonestSeconds);
  return [
    {
      ...anew,
      nodes: anew.nodes.map((node) => (awakeIds.has(node.nodeId) ? { ...node, isRenamed: true } : node)),
    },
    change("node-deleted", gone, latestSeconds),
    change("node-joined", joined, latestSeconds),
  ].filter(({ nodes }) => nodes.length > 0);
}

/** Without a host name, as while it starts again, it keeps the one that it had. */
function isRenamed(before: ClusterNode, now: ClusterNode): boolean {
  if (before.hostname === null || now.hostname === null) return false;
  return shortHostname(before.hostname) !== shortHostname(now.hostname);
}

/** To a scheduler it is gone: it has no VM, and may come back under another host name. */
function isAsleep({ status, targetState }: ClusterNode): boolean {
  return status === "Deallocated" && targetState === "Deallocated";
}

function isUp(node: ClusterNode | undefined): node is ClusterNode {
  return node?.status === "Ready" && node.targetState === "Started" && node.hostname !== null;
}

function change(kind: SchedulerEvent["kind"], nodes: readonly ClusterNode[], atSeconds: number): NodeChange {
  return {
    kind,
    atSeconds,
    nodes: nodes.map(({ nodeId, name, hostname, nodeArray, vmSize, placementGroup }) => ({
      nodeId,
      name,
      hostname,
      ...(kind === "node-joined" ? { nodeArray, vmSize, placementGroup } : {}),
    })),
  };
}

/**
 * A digest that changes when the cluster changes in a way that could change a plan. The age of a capacity failure grows
 * by itself, so only whether there was one counts.
 */
export function clusterDigest(cluster: Cluster, ids: Pick<Ids, "digest">): string {
  const digested = knownDigests.get(cluster);
  if (digested?.ids === ids) return digested.digest;
  const digest = ids.digest(textOf(cluster));
  knownDigests.set(cluster, { ids, digest });
  return digest;
}

/** A snapshot's digest is used for the comparison with the last plan and for the next plan, and computed once. */
const knownDigests = new WeakMap<Cluster, { readonly ids: Pick<Ids, "digest">; readonly digest: string }>();

function textOf(cluster: Cluster): string {
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => ({
      ...bucket,
      secondsSinceCapacityFailure: bucket.secondsSinceCapacityFailure !== null,
    })),
  }));
  // What CycleCloud says of a failed node changes no plan.
  const nodes = cluster.nodes.map((node) =>
    node.statusMessage === undefined ? node : { ...node, statusMessage: undefined },
  );
  return JSON.stringify({ ...cluster, nodeArrays, nodes });
}
