import { type ClusterNode, type NodeHistory, shortHostname } from "../engine/index.ts";
import type { NodesAction } from "../messages/scale-action.ts";
import type { CycleCloud, Ports, RequestedNode } from "../ports.ts";
import { liveSources } from "./plan-input.ts";

/** Nodes that an action is still right for, and a sentence for every other. */
export interface Rechecked {
  readonly due: readonly RequestedNode[];
  readonly stale: readonly string[];
}

/** What is known now, which may be newer than what the plan knew. */
interface Known {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly history: ReadonlyMap<string, NodeHistory>;
  readonly busyHostnames: ReadonlySet<string>;
}

/**
 * Between a plan and its execution the world moves on: a node that was idle may have got a job, become keep-alive, or
 * be gone. Such a node is left out, and said so.
 */
export async function recheckNodes(
  ports: Pick<Ports, "clock" | "demand" | "history" | "snapshots">,
  cycleCloud: Pick<CycleCloud, "readCluster">,
  action: NodesAction,
): Promise<Rechecked> {
  const known = await load(ports, action.cluster, await nodesNow(ports, cycleCloud, action));
  const due: RequestedNode[] = [];
  const stale: string[] = [];
  for (const { nodeId, name } of action.nodes) {
    const node = known.nodes.get(nodeId);
    const why = node === undefined ? "is gone" : whyStale(action, node, known);
    if (node === undefined || why !== undefined) {
      stale.push(`${name} ${why}`);
    } else {
      const { nodeArray, vmSize, placementGroup } = node;
      due.push({ nodeId, name, nodeArray, vmSize, placementGroup });
    }
  }
  return { due, stale };
}

/**
 * A node that booted after the last snapshot has no host name in it, so nobody could tell that it runs a job by now. So
 * CycleCloud is asked before a node is deleted that was not up when the plan was made, which is rare enough.
 */
async function nodesNow(
  ports: Pick<Ports, "snapshots">,
  cycleCloud: Pick<CycleCloud, "readCluster">,
  action: NodesAction,
): Promise<readonly ClusterNode[]> {
  const isUnmatched = (cause: string) => cause === "idle-timeout" || cause === "autostop";
  const mayHaveChanged = action.kind === "shutdown-nodes" && !isUnmatched(action.cause);
  if (mayHaveChanged) return (await cycleCloud.readCluster()).cluster.nodes;
  return (await ports.snapshots.load(action.cluster))?.value.cluster.nodes ?? [];
}

async function load(
  ports: Pick<Ports, "clock" | "demand" | "history" | "snapshots">,
  cluster: string,
  nodes: readonly ClusterNode[],
): Promise<Known> {
  const demand = liveSources(await ports.demand.list(cluster), ports.clock.nowSeconds());
  const history = await ports.history.list(cluster);
  return {
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
    history: new Map(history.map((row) => [row.nodeId, row])),
    busyHostnames: new Set(
      demand.flatMap((source) => source.jobs.flatMap((job) => job.executingHostnames.map(shortHostname))),
    ),
  };
}

function whyStale(action: NodesAction, node: ClusterNode, known: Known): string | undefined {
  if (action.kind === "start-nodes") {
    return node.targetState === "Started" ? "is started already" : undefined;
  }
  if (action.kind === "retry-failed") {
    return node.status === "Failed" && node.targetState === "Started" ? undefined : "has not failed any more";
  }
  if (node.keepAlive) return "is keep-alive now";
  const isForced = action.cause === "operator" && action.force === true;
  if (!isForced && node.hostname !== null && known.busyHostnames.has(shortHostname(node.hostname)))
    return "runs a job now";
  const row = known.history.get(node.nodeId);
  switch (action.cause) {
    case "operator":
      return undefined;
    case "autostop":
    case "idle-timeout":
      return row !== undefined && row.lastMatchSeconds === null ? "is needed again" : undefined;
    case "boot-timeout":
      return node.status === "Ready" ? "is ready now" : undefined;
    case "failed":
      return node.status === "Failed" ? undefined : "has not failed any more";
  }
}
