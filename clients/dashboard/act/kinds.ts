import { exactDuration } from "../../../shared/text/durations.ts";
import { commandLine } from "./command-line.ts";

export interface Act {
  readonly title: string;
  readonly means: string;
  readonly command: string;
  readonly isDestructive?: boolean;
  /** It may end by itself. */
  readonly mayEnd?: boolean;
  /** So many nodes at a time, which is asked for. */
  readonly isInTurns?: boolean;
}

const onNodes = {
  drain: {
    title: "Drain",
    means: "The nodes take no new jobs. Jobs that run there end first.",
    command: "drain",
    mayEnd: true,
  },
  roll: {
    title: "Drain in turns",
    means: "So many at a time, the nodes take no new jobs; the others follow when those are empty.",
    command: "drain",
    isInTurns: true,
  },
  replace: {
    title: "Replace in turns",
    means: "As drained in turns, and each node is deleted once no job runs there.",
    command: "drain",
    isDestructive: true,
    isInTurns: true,
  },
  undrain: { title: "Undrain", means: "The nodes take jobs again.", command: "undrain" },
  "keep-alive": {
    title: "Keep alive",
    means: "Only an operator may delete the nodes, however long they are idle.",
    command: "keep-alive on",
    mayEnd: true,
  },
  "let-go": {
    title: "End keep-alive",
    means: "The nodes may go again when they are idle.",
    command: "keep-alive off",
  },
  ignore: {
    title: "Ignore",
    means: "The autoscaler leaves the nodes alone: no jobs, no deletion, no retry.",
    command: "ignore",
    mayEnd: true,
  },
  unignore: {
    title: "Stop ignoring",
    means: "The autoscaler sees to the nodes again.",
    command: "unignore",
  },
  delete: {
    title: "Delete",
    means: "CycleCloud deletes the nodes. Nodes on which jobs run are left alone.",
    command: "delete-nodes",
    isDestructive: true,
  },
  start: { title: "Start", means: "CycleCloud starts the nodes.", command: "start" },
  restart: {
    title: "Restart",
    means: "CycleCloud restarts the nodes. Nodes on which jobs run are left alone.",
    command: "restart",
    isDestructive: true,
  },
} satisfies Readonly<Record<string, Act>>;

const onCluster = {
  "retry-failed": {
    title: "Retry failed nodes",
    means: "CycleCloud boots every failed node of the cluster again.",
    command: "retry-failed",
  },
  "stop-rolling": {
    title: "Stop turns",
    means: "Nodes whose turn has not come are left as they are; drained ones stay drained.",
    command: "stop-rolling",
  },
  pause: {
    title: "Pause scaling",
    means: "Plans are made, and nothing of them is sent.",
    command: "pause",
    mayEnd: true,
  },
  resume: {
    title: "Resume scaling",
    means: "Plans are carried out again.",
    command: "resume",
  },
} satisfies Readonly<Record<string, Act>>;

export type ActKind = keyof typeof onNodes | keyof typeof onCluster;

export const acts: Readonly<Record<ActKind, Act>> = { ...onNodes, ...onCluster };

export const nodeActs = Object.keys(onNodes) as readonly (keyof typeof onNodes)[];

export function isOnNodes(kind: ActKind): boolean {
  return Object.hasOwn(onNodes, kind);
}

export interface ActNode {
  readonly name: string;
  readonly nodeId: string;
}

/** The body of `POST actions`. Nodes are named by their ids: a name would count as a pattern, and of a newer node too. */
export function bodyOf(
  kind: ActKind,
  asked: {
    readonly nodes: readonly ActNode[];
    readonly reason: string;
    readonly by: string;
    readonly dryRun: boolean;
    /** Seconds from now; absent: until somebody ends it. */
    readonly forSeconds?: number | undefined;
    /** For acts in turns: a number of nodes, or a share such as `10%`. */
    readonly atOnce?: string;
  },
): Readonly<Record<string, unknown>> {
  const { nodes: chosen, forSeconds, atOnce = "1", ...always } = asked;
  const fields =
    forSeconds === undefined
      ? always
      : { ...always, untilSeconds: Math.ceil(Date.now() / 1_000) + forSeconds };
  if (!isOnNodes(kind)) return { kind, ...fields };
  const nodes = { nodeIds: chosen.map(({ nodeId }) => nodeId) };
  if (kind === "keep-alive" || kind === "let-go")
    return { kind: "keep-alive", on: kind === "keep-alive", nodes, ...fields };
  if (kind === "roll" || kind === "replace")
    return {
      kind: "roll",
      replace: kind === "replace",
      atOnce: atOnce.endsWith("%") ? atOnce : Number(atOnce),
      nodes,
      ...fields,
    };
  return { kind, nodes, ...fields };
}

/** More names than that make no line that anybody would type. */
const mostNamed = 50;

export function commandOf(
  kind: ActKind,
  given: {
    readonly cluster: string;
    readonly nodes: readonly ActNode[];
    readonly reason: string;
    readonly forSeconds?: number | undefined;
    readonly atOnce?: string;
  },
): string {
  const { cluster, nodes: chosen, reason, forSeconds, atOnce = "1" } = given;
  // A long list comes from a file: one name a line.
  const list = chosen.length > mostNamed ? "@NAMES.txt" : chosen.map(({ name }) => name).join();
  const nodes = isOnNodes(kind) ? ["-N", list] : [];
  return commandLine([
    "ccscale",
    ...acts[kind].command.split(" "),
    "--cluster",
    cluster,
    ...nodes,
    ...(forSeconds === undefined ? [] : ["--for", exactDuration(forSeconds)]),
    ...(acts[kind].isInTurns ? ["--rolling", atOnce] : []),
    ...(kind === "replace" ? ["--replace"] : []),
    "--reason",
    reason,
  ]);
}
