import type { NodeView } from "./nodes-schema.ts";
import type { SamplesAnswer } from "./samples-schema.ts";

export type NodeUse = keyof SamplesAnswer["samples"][number]["nodes"];

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
