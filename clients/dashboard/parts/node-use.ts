import type { NodeView, SamplesAnswer } from "../../../shared/api/index.ts";

export type NodeUse = keyof SamplesAnswer["samples"][number]["nodes"];

/** Uses of nodes, as charts stack them from the bottom. The colour of each is `use-…` of `style.css`. */
export const nodeUses: readonly { readonly use: NodeUse; readonly title: string }[] = [
  { use: "jobs", title: "Jobs" },
  { use: "boot", title: "Booting" },
  { use: "idle", title: "Idle" },
  { use: "drained", title: "Drained" },
  { use: "kept", title: "Kept alive" },
  { use: "failed", title: "Failed" },
  { use: "ending", title: "Ending" },
];

/** What a node is there for now. */
export function useOf(
  node: Pick<
    NodeView,
    "state" | "jobs" | "keepAlive" | "ignored" | "draining" | "deletedSeconds" | "operation"
  >,
): NodeUse {
  if (node.state === "Failed") return "failed";
  if (node.deletedSeconds !== null || node.operation?.kind === "shutdown-nodes") return "ending";
  if (node.state !== "Ready") return "boot";
  if (node.jobs.length > 0) return "jobs";
  if (node.draining !== null || node.ignored) return "drained";
  return node.keepAlive ? "kept" : "idle";
}
