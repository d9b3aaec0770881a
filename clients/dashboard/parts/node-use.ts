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

/** What a node is there for now, as the accounts and so the curves have it: a job that was only given a place there does not count. */
export function useOf(
  node: Pick<NodeView, "state" | "targetState" | "jobs" | "plannedJobs" | "keepAlive" | "draining">,
): NodeUse {
  if (node.jobs.length > node.plannedJobs.length) return "jobs";
  if (node.state === "Failed") return "failed";
  if (node.targetState !== "Started" && node.targetState !== null) return "ending";
  if (node.state !== "Ready") return "boot";
  if (node.draining !== null) return "drained";
  return node.keepAlive ? "kept" : "idle";
}
