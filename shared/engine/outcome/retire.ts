import type { ClusterNode } from "../model/bucket.ts";
import { isOverdue, type NodeHistory } from "../model/history.ts";
import type { KeptFailedNode, NodeRetry, Retirement } from "../model/plan-result.ts";
import {
  type EngineSettings,
  failedNodePolicy,
  forNodeArray,
  keptByDefault,
  usesFailedNodes,
} from "../model/settings.ts";
import { bootEnds } from "./unneeded-boots.ts";

export interface RetireInput {
  readonly nowSeconds: number;
  readonly settings: EngineSettings;
  /** Nodes that may be touched: of enabled arrays, not ignored, not leaving already. */
  readonly nodes: readonly ClusterNode[];
  /** As they are after this pass. */
  readonly history: ReadonlyMap<string, NodeHistory>;
  /** Nodes that boot and that nothing needs any more. */
  readonly unneeded: ReadonlySet<string>;
}

/** Nodes past a time-out, whether they may go or not. */
export function timedOut(input: RetireInput): readonly Retirement[] {
  const bootEndSeconds = bootEnds(input.history.values(), input.settings);
  return input.nodes.flatMap((node) => {
    const row = input.history.get(node.nodeId);
    const verdict =
      row === undefined || node.keepAlive ? null : causeOf(input, { node, row, bootEndSeconds });
    if (verdict === null) return [];
    const { nodeId, name, nodeArray, hostname } = node;
    return [{ nodeId, name, nodeArray, hostname, ...verdict }];
  });
}

/** Failed nodes to retry, if the settings ask for that. */
export function retries({ settings, nodes }: Pick<RetireInput, "settings" | "nodes">): readonly NodeRetry[] {
  if (failedNodePolicy(settings) !== "retry") return [];
  return nodes.filter((node) => node.status === "Failed").map(({ nodeId, name }) => ({ nodeId, name }));
}

/**
 * Failed nodes that are left for a look: those that failed first, so that whoever looks at one keeps it; not those that
 * hold the room that a job waits for.
 */
export function keptFailed(
  { settings, nodes, history, nowSeconds }: RetireInput,
  isRoomWanted: (node: ClusterNode) => boolean,
): readonly KeptFailedNode[] {
  if (failedNodePolicy(settings) !== "keep" || usesFailedNodes(settings)) return [];
  const { most, seconds } = settings.keptFailedNodes ?? keptByDefault;
  return failedIn(nodes)
    .filter((node) => !isRoomWanted(node))
    .map(({ nodeId, name }) => ({
      nodeId,
      name,
      untilSeconds: failedSeconds(history, nodeId, nowSeconds) + seconds,
    }))
    .filter(({ untilSeconds }) => untilSeconds > nowSeconds)
    .sort((a, b) => a.untilSeconds - b.untilSeconds)
    .slice(0, most);
}

/** With the policy to keep some: the others. */
export function failedBeyond(
  { settings, nodes, history, nowSeconds }: RetireInput,
  kept: readonly KeptFailedNode[],
): readonly Retirement[] {
  if (failedNodePolicy(settings) !== "keep" || usesFailedNodes(settings)) return [];
  const stays = new Set(kept.map(({ nodeId }) => nodeId));
  return failedIn(nodes)
    .filter(({ nodeId }) => !stays.has(nodeId))
    .map(({ nodeId, name, nodeArray, hostname }) => {
      const sinceSeconds = failedSeconds(history, nodeId, nowSeconds);
      return { nodeId, name, nodeArray, hostname, cause: "failed", sinceSeconds };
    });
}

function failedIn(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  return nodes.filter(({ status, keepAlive }) => status === "Failed" && !keepAlive);
}

function failedSeconds(history: RetireInput["history"], nodeId: string, nowSeconds: number): number {
  return history.get(nodeId)?.failure?.atSeconds ?? nowSeconds;
}

type Verdict = Pick<Retirement, "cause" | "sinceSeconds">;

/** The gravest cause first. A booting node counts as timed out even with jobs planned on it: none can run there. */
function causeOf(
  input: RetireInput,
  {
    node,
    row,
    bootEndSeconds,
  }: {
    readonly node: ClusterNode;
    readonly row: NodeHistory;
    readonly bootEndSeconds: ReturnType<typeof bootEnds>;
  },
): Verdict | null {
  const { nowSeconds, settings } = input;
  if (node.targetState !== "Started") return null;
  const isFailed = node.status === "Failed";
  if (isFailed && failedNodePolicy(settings) === "delete")
    return { cause: "failed", sinceSeconds: row.createdSeconds };
  // What becomes of a failed node is decided by what it failed of, not by its boot time-out.
  if (isFailed && !usesFailedNodes(settings)) return null;
  if (isOverdue(row, nowSeconds, forNodeArray(settings.bootTimeoutSeconds, node.nodeArray)))
    return { cause: "boot-timeout", sinceSeconds: row.createdSeconds };
  const lastMatch = row.lastMatchSeconds;
  if (input.unneeded.has(node.nodeId)) {
    const endSeconds = bootEndSeconds(row);
    const isOver = lastMatch !== null && endSeconds !== null && endSeconds < nowSeconds;
    return isOver ? { cause: "unwanted", sinceSeconds: lastMatch } : null;
  }
  const idleTimeout = forNodeArray(settings.idleTimeoutSeconds, node.nodeArray);
  const idle = node.status === "Ready" && lastMatch !== null && lastMatch < nowSeconds - idleTimeout;
  return idle ? { cause: "idle-timeout", sinceSeconds: lastMatch } : null;
}
