import { commandLine } from "./command-line.ts";

export type ActKind =
  | "drain"
  | "undrain"
  | "keep-alive"
  | "let-go"
  | "ignore"
  | "unignore"
  | "delete"
  | "start"
  | "restart"
  | "retry-failed"
  | "pause"
  | "resume";

export interface Act {
  readonly title: string;
  readonly means: string;
  readonly command: string;
  /** Whether it is about nodes, or about the whole cluster. */
  readonly onNodes: boolean;
  readonly isDestructive?: boolean;
}

export const acts: Readonly<Record<ActKind, Act>> = {
  drain: {
    title: "Drain",
    means: "The nodes take no new jobs. Jobs that run there end first.",
    command: "drain",
    onNodes: true,
  },
  undrain: { title: "Undrain", means: "The nodes take jobs again.", command: "undrain", onNodes: true },
  "keep-alive": {
    title: "Keep alive",
    means: "Only an operator may delete the nodes, however long they are idle.",
    command: "keep-alive on",
    onNodes: true,
  },
  "let-go": {
    title: "End keep-alive",
    means: "The nodes may go again when they are idle.",
    command: "keep-alive off",
    onNodes: true,
  },
  ignore: {
    title: "Ignore",
    means: "The autoscaler leaves the nodes alone: no jobs, no deletion, no retry.",
    command: "ignore",
    onNodes: true,
  },
  unignore: {
    title: "Stop ignoring",
    means: "The autoscaler sees to the nodes again.",
    command: "unignore",
    onNodes: true,
  },
  delete: {
    title: "Delete",
    means: "CycleCloud deletes the nodes. Nodes on which jobs run are left alone.",
    command: "delete-nodes",
    onNodes: true,
    isDestructive: true,
  },
  start: { title: "Start", means: "CycleCloud starts the nodes.", command: "start-nodes", onNodes: true },
  restart: {
    title: "Restart",
    means: "CycleCloud restarts the nodes. Nodes on which jobs run are left alone.",
    command: "restart-nodes",
    onNodes: true,
    isDestructive: true,
  },
  "retry-failed": {
    title: "Retry failed nodes",
    means: "CycleCloud boots every failed node of the cluster again.",
    command: "retry-failed",
    onNodes: false,
  },
  pause: {
    title: "Pause scaling",
    means: "Plans are made, and nothing of them is sent.",
    command: "pause",
    onNodes: false,
  },
  resume: {
    title: "Resume scaling",
    means: "Plans are carried out again.",
    command: "resume",
    onNodes: false,
  },
};

export interface ActNode {
  readonly name: string;
  readonly nodeId: string;
}

export const nodeActs = [
  "drain",
  "undrain",
  "keep-alive",
  "let-go",
  "ignore",
  "unignore",
  "delete",
  "start",
  "restart",
] as const;

/** The body of `POST actions`. Nodes are named by their ids: a name would count as a pattern, and of a newer node too. */
export function bodyOf(
  kind: ActKind,
  asked: {
    readonly nodes: readonly ActNode[];
    readonly reason: string;
    readonly by: string;
    readonly dryRun: boolean;
  },
): Readonly<Record<string, unknown>> {
  const { nodes: chosen, ...fields } = asked;
  if (!acts[kind].onNodes) return { kind, ...fields };
  const nodes = { nodeIds: chosen.map(({ nodeId }) => nodeId) };
  if (kind === "keep-alive" || kind === "let-go")
    return { kind: "keep-alive", on: kind === "keep-alive", nodes, ...fields };
  return { kind, nodes, ...fields };
}

/** More names than that make no line that anybody would type. */
const mostNamed = 50;

export function commandOf(
  kind: ActKind,
  given: { readonly cluster: string; readonly nodes: readonly ActNode[]; readonly reason: string },
): string {
  const { cluster, nodes: chosen, reason } = given;
  // A long list comes from a file: one name a line.
  const list = chosen.length > mostNamed ? "@NAMES.txt" : chosen.map(({ name }) => name).join();
  const nodes = acts[kind].onNodes ? ["-N", list] : [];
  return commandLine([
    "ccscale",
    ...acts[kind].command.split(" "),
    "--cluster",
    cluster,
    ...nodes,
    "--reason",
    reason,
  ]);
}
