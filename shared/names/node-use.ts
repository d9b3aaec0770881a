/** What a node that costs money is there for, as samples, accounts and curves tell nodes apart. */
export type NodeUse = "jobs" | "boot" | "idle" | "drained" | "kept" | "failed" | "ending";

/** Uses of nodes, as charts stack them from the bottom. The colour of each is `use-…` of the dashboard's `style.css`. */
export const nodeUses: readonly { readonly use: NodeUse; readonly title: string }[] = [
  { use: "jobs", title: "Jobs" },
  { use: "boot", title: "Booting" },
  { use: "idle", title: "Idle" },
  { use: "drained", title: "Drained" },
  { use: "kept", title: "Kept alive" },
  { use: "failed", title: "Failed" },
  { use: "ending", title: "Ending" },
];

interface Used {
  readonly state: string | null;
  readonly targetState: string | null;
  /** Those that run there, and those that were given a place there. */
  readonly jobs: { readonly length: number };
  readonly plannedJobs: { readonly length: number };
  readonly keepAlive: boolean;
  readonly draining: object | null;
}

/** What a node is there for now, as the accounts and so the curves have it: a job that was only given a place there does not count. */
export function useOf(node: Used): NodeUse {
  if (node.jobs.length > node.plannedJobs.length) return "jobs";
  if (node.state === "Failed") return "failed";
  if (node.targetState !== "Started" && node.targetState !== null) return "ending";
  if (node.state !== "Ready") return "boot";
  if (node.draining !== null) return "drained";
  return node.keepAlive ? "kept" : "idle";
}
