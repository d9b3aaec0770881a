import type { ClusterStatus } from "../api/index.ts";
import type { ClusterNode } from "../engine/index.ts";

const mostGroups = 5;
const mostNamed = 5;

/** Failed nodes that fail alike, the largest groups first: a bad image fails a hundred nodes with one message. */
export function failedNodesOf(nodes: readonly ClusterNode[]): ClusterStatus["failedNodes"] {
  const failed = nodes.filter(
    ({ status, targetState }) => status === "Failed" && targetState !== "Terminated",
  );
  const alike = Map.groupBy(failed, ({ nodeArray, statusMessage = null }) =>
    JSON.stringify([nodeArray, statusMessage]),
  );
  const groups = [...alike.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const { nodeArray, statusMessage = null } = first;
    const names = some.slice(0, mostNamed).map(({ name }) => name);
    return [{ nodeArray, message: statusMessage, count: some.length, first: names }];
  });
  return groups.toSorted((a, b) => b.count - a.count).slice(0, mostGroups);
}
