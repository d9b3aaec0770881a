import { type ClusterNode, type NodeHistory, shortHostname } from "../../engine/index.ts";
import type { ActionNode, NodesAction } from "../../messages/index.ts";
import type { CycleCloud, Ports, RequestedNode } from "../../ports/index.ts";
import { loadControl } from "../control.ts";
import { busyHostnames, liveSources } from "../demand/live-demand.ts";
import { whyWantsUnknown } from "../demand/unknown-wants.ts";
import { doubtsOf } from "../doubts.ts";
import { isDrained, isHeldByOthers, type Listings, listingsFor, listingsOf } from "../listings.ts";
import { takesAway } from "../operations.ts";
import {
  busyNow,
  isForced,
  isForIdleness,
  keptNow,
  type LookPorts,
  type Rechecked,
  untilRead,
} from "./last-look.ts";
import { neededNow } from "./needed-now.ts";
import { mayGetJobs as isUndrained } from "./spare-node.ts";

/** The input of a recheck. */
export type RecheckPorts = LookPorts &
  Pick<Ports, "configs" | "history" | "operations" | "samples" | "snapshots" | "targets">;

/** The present state, which may be newer than the plan's. */
interface PresentState {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly history: ReadonlyMap<string, NodeHistory>;
  readonly busyHostnames: ReadonlySet<string>;
  /** Nodes that the autoscaler leaves alone at an operator's request. */
  readonly ignoredIds: ReadonlySet<string>;
  /** Nodes that an operator keeps alive. */
  readonly keptIds: ReadonlySet<string>;
  /** Why a spare node has to stay after all, by node id. */
  readonly needed: ReadonlyMap<string, string>;
  readonly listings: Listings;
  /** Why no node is idle for certain; undefined: no doubt. */
  readonly doubt: string | undefined;
  /** Why it is not known what jobs want; undefined: it is. */
  readonly wantsUnknown: string | undefined;
}

/**
 * The cluster changes between a plan and its execution: a node that was idle may have got a job, become keep-alive, or
 * be gone. Such a node is left out, with a sentence that explains why. Throws UnreadDemandError while unread messages may name
 * one of the nodes as busy.
 */
export async function recheckNodes(
  ports: RecheckPorts,
  cycleCloud: Pick<CycleCloud, "readCluster">,
  action: NodesAction,
): Promise<Rechecked & { readonly hostnames: ReadonlyMap<string, string> }> {
  const nodes = await nodesNow(ports, cycleCloud, action);
  const asked = new Set(action.nodes.map(({ nodeId }) => nodeId));
  const hostnames = new Map(
    nodes.flatMap(({ nodeId, hostname }) =>
      hostname === null || !asked.has(nodeId) ? [] : [[nodeId, hostname] as const],
    ),
  );
  // Before the demand is read, so that whatever was posted before this is in it.
  await untilRead(ports, action, [...hostnames.values()]);
  const present = await load(ports, action, nodes);
  const due: RequestedNode[] = [];
  const stale: string[] = [];
  for (const { nodeId, name, drain } of action.nodes) {
    const node = present.nodes.get(nodeId);
    const why = node === undefined ? "is gone" : whyStale(action, { node, drain }, present);
    if (node === undefined || why !== undefined) {
      stale.push(`${name} ${why}`);
    } else {
      const { nodeArray, vmSize, placementGroup } = node;
      due.push({ nodeId, name, nodeArray, vmSize, placementGroup });
    }
  }
  return { due, stale, hostnames };
}

/**
 * A node that booted after the last snapshot has no host name in it, so it is not known whether it runs a job by now.
 * CycleCloud is asked before deleting a node that was not up when the plan was made, or when it asked to stop, which is rare.
 */
async function nodesNow(
  ports: Pick<Ports, "snapshots">,
  cycleCloud: Pick<CycleCloud, "readCluster">,
  action: NodesAction,
): Promise<readonly ClusterNode[]> {
  const isUnmatched = (cause: string) => cause === "idle-timeout" || cause === "autostop";
  const mayHaveChanged = action.kind === "shutdown-nodes" ? !isUnmatched(action.cause) : takesAway(action);
  const seen = (await ports.snapshots.load(action.cluster))?.value.cluster.nodes ?? [];
  const unnamed = new Set(seen.flatMap(({ nodeId, hostname }) => (hostname === null ? [nodeId] : [])));
  const isAsked =
    mayHaveChanged || (takesAway(action) && action.nodes.some(({ nodeId }) => unnamed.has(nodeId)));
  return isAsked ? (await cycleCloud.readCluster()).cluster.nodes : seen;
}

async function load(
  ports: RecheckPorts,
  action: NodesAction,
  nodes: readonly ClusterNode[],
): Promise<PresentState> {
  const { cluster } = action;
  const nowSeconds = ports.clock.nowSeconds();
  const demand = await ports.demand.list(cluster);
  const history = await ports.history.list(cluster);
  const control = await loadControl(ports, cluster);
  return {
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
    history: new Map(history.map((row) => [row.nodeId, row])),
    busyHostnames: busyHostnames(demand, nowSeconds),
    ignoredIds: new Set(control.ignoredNodes.map(({ nodeId }) => nodeId)),
    keptIds: new Set(control.keptNodes.map(({ nodeId }) => nodeId)),
    needed: await neededNow(ports, action),
    listings: listingsOf(liveSources(demand, nowSeconds), nowSeconds),
    doubt: doubtsOf(demand, nowSeconds)[0]?.why,
    wantsUnknown: whyWantsUnknown(demand, nowSeconds),
  };
}

function whyStale(
  action: NodesAction,
  { node, drain }: { readonly node: ClusterNode } & Pick<ActionNode, "drain">,
  present: PresentState,
): string | undefined {
  if (action.kind === "start-nodes") {
    return node.targetState === "Started" ? "is started already" : undefined;
  }
  if (action.kind === "retry-failed") {
    return node.status === "Failed" && node.targetState === "Started" ? undefined : "has not failed any more";
  }
  if (node.keepAlive || present.keptIds.has(node.nodeId)) return keptNow;
  if (!isForced(action) && node.hostname !== null && present.busyHostnames.has(shortHostname(node.hostname)))
    return busyNow;
  if (action.kind === "deallocate-nodes" && node.targetState !== "Started") return "is not started any more";
  if (action.kind !== "shutdown-nodes" || action.cause === "operator") return undefined;
  if (present.ignoredIds.has(node.nodeId)) return "is ignored now";
  if (isForIdleness(action) && present.doubt !== undefined) return `may run a job: ${present.doubt}`;
  const row = present.history.get(node.nodeId);
  switch (action.cause) {
    case "autostop":
      return (
        present.needed.get(node.nodeId) ??
        (isUndrained(present.listings, node) ? "is not drained" : undefined)
      );
    case "idle-timeout":
      if (row !== undefined && row.lastMatchSeconds === null) return "is needed again";
      if (present.needed.has(node.nodeId)) return present.needed.get(node.nodeId);
      return mayGetJobs(node, drain, present) ? "is not drained" : undefined;
    case "unwanted":
      if (node.status === "Ready") return "is ready now";
      if (row === undefined || row.lastMatchSeconds === null) return "is needed again";
      if (present.wantsUnknown !== undefined) return `may be needed: ${present.wantsUnknown}`;
      if (present.needed.has(node.nodeId)) return present.needed.get(node.nodeId);
      return mayGetJobs(node, drain, present) ? "is not drained" : undefined;
    case "unhealthy":
      return mayGetJobs(node, drain, present) ? "is not drained" : undefined;
    case "spot-released":
    case "boot-timeout":
      return node.status === "Ready" ? "is ready now" : undefined;
    case "deallocated":
      return node.status === "Deallocated" && node.targetState === "Deallocated"
        ? undefined
        : "is not deallocated any more";
    case "failed":
      return node.status === "Failed" ? undefined : "has not failed any more";
  }
}

/** Whether a scheduler that could drain the node has not done so, or has taken it back; once its time is over, whether one holds it. */
function mayGetJobs(node: ClusterNode, drain: ActionNode["drain"], { listings }: PresentState): boolean {
  if (drain?.isTimedOut === true) return listingsFor(listings, node.hostname).some(isHeldByOthers);
  const sinceSeconds = drain?.sinceSeconds ?? Number.POSITIVE_INFINITY;
  return listingsFor(listings, node.hostname).some((listing) => !isDrained(listing, sinceSeconds));
}
