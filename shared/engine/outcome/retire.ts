import type { ClusterNode } from "../model/bucket.ts";
import { isOverdue, type NodeHistory } from "../model/history.ts";
import type { NodeRetry, Retirement } from "../model/plan-result.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";

export interface RetireInput {
  readonly nowSeconds: number;
  readonly settings: EngineSettings;
  /** Nodes that may be touched: of enabled arrays, not ignored, not leaving already. */
  readonly nodes: readonly ClusterNode[];
  /** As they are after this pass. */
  readonly history: ReadonlyMap<string, NodeHistory>;
}

/** Nodes past a time-out, whether they may go or not. */
export function timedOut(input: RetireInput): readonly Retirement[] {
  return input.nodes.flatMap((node) => {
    const row = input.history.get(node.nodeId);
    const verdict = row === undefined || node.keepAlive ? null : causeOf(input, node, row);
    if (verdict === null) return [];
    const { nodeId, name, nodeArray, hostname } = node;
    return [{ nodeId, name, nodeArray, hostname, ...verdict }];
  });
}

/** Failed nodes to retry, if the settings ask for that. */
export function retries({ settings, nodes }: Pick<RetireInput, "settings" | "nodes">): readonly NodeRetry[] {
  if (settings.failedNodes !== "retry") return [];
  return nodes.filter((node) => node.status === "Failed").map(({ nodeId, name }) => ({ nodeId, name }));
}

type Verdict = Pick<Retirement, "cause" | "sinceSeconds">;

/** The gravest cause first. A booting node counts as timed out even with jobs planned on it: none can run there. */
function causeOf(input: RetireInput, node: ClusterNode, row: NodeHistory): Verdict | null {
  const { nowSeconds, settings } = input;
  if (node.targetState !== "Started") return null;
  if (node.status === "Failed" && settings.failedNodes === "delete")
    return { cause: "failed", sinceSeconds: row.createdSeconds };
  if (isOverdue(row, nowSeconds, forNodeArray(settings.bootTimeoutSeconds, node.nodeArray)))
    return { cause: "boot-timeout", sinceSeconds: row.createdSeconds };
  const lastMatch = row.lastMatchSeconds;
  const idleTimeout = forNodeArray(settings.idleTimeoutSeconds, node.nodeArray);
  const idle = node.status === "Ready" && lastMatch !== null && lastMatch < nowSeconds - idleTimeout;
  return idle ? { cause: "idle-timeout", sinceSeconds: lastMatch } : null;
}
