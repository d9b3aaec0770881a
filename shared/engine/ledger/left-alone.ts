import type { ClusterNode, NodeArray } from "../model/bucket.ts";
import type { EngineSettings } from "../model/settings.ts";
import { hasWildcard, matchesWildcard } from "../values/wildcard.ts";

/** Whether a node is on the ignore list, by name, id or host name. */
export function isIgnored(node: ClusterNode, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const names = [node.name, node.nodeId, node.hostname ?? ""];
  return patterns.some((pattern) =>
    names.some((name) => name === pattern || (hasWildcard(pattern) && matchesWildcard(pattern, name))),
  );
}

/** scalelib does not see the nodes of invalid buckets. */
export function isLeftOut(node: ClusterNode, array: NodeArray, { compatibility }: EngineSettings): boolean {
  if (compatibility !== "scalelib") return false;
  return array.buckets.some((bucket) => bucket.vmSize === node.vmSize && !bucket.valid);
}

/** Nodes that are up, on their way, or deallocated, and not ignored. */
export function mayRunJobs(
  node: ClusterNode,
  { ignoredNodes }: Pick<EngineSettings, "ignoredNodes">,
): boolean {
  if (node.targetState === null || isIgnored(node, ignoredNodes)) return false;
  return (
    node.targetState === "Started" || (node.status === "Deallocated" && node.targetState === "Deallocated")
  );
}
