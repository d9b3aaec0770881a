import type { ClusterStatus } from "../api/index.ts";
import { type ClusterNode, failedNodePolicy, keptByDefault, usesFailedNodes } from "../engine/index.ts";
import type { ClusterConfig } from "../ports/index.ts";
import { duration } from "../text/durations.ts";
import { counted } from "../text/text.ts";

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

/** What becomes of failed nodes, and of the jobs that were meant for them. */
export function failedFate({ engine, cycle }: Pick<ClusterConfig, "engine" | "cycle">): string {
  const jobs = usesFailedNodes(engine) ? "" : " Their jobs are planned anew.";
  switch (failedNodePolicy(engine)) {
    case "delete":
      return `The next plan deletes them.${jobs} `;
    case "retry":
      return `Each is retried up to ${counted(cycle.failedNodeRetries, "times")}, then deleted.${jobs} `;
    case "keep": {
      if (usesFailedNodes(engine)) return "Nobody retries or deletes them (compatibility with scalelib). ";
      const { most, seconds } = engine.keptFailedNodes ?? keptByDefault;
      return `${most} at most ${most === 1 ? "is" : "are"} kept for a look, each for ${duration(seconds)}; the others are deleted.${jobs} `;
    }
  }
}
