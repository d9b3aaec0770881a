import Table from "cli-table3";
import type { Post } from "../scheduler/run.ts";
import type { Progress } from "../scheduler/scheduler.ts";

const secondsPerHour = 3600;

/** What the CycleCloud simulator kept account of; times in simulated seconds. */
export interface Ledger {
  readonly created: number;
  readonly nodeSeconds: number;
  readonly nodes: readonly {
    readonly nodeId: string;
    readonly name: string;
    readonly createdAt: number;
    readonly terminatedAt: number | null;
    readonly terminatingAt: number | null;
  }[];
}

/** One call that the simulator answered; real Unix seconds. */
export interface CreateCall {
  readonly atSeconds: number;
}

export interface Run {
  readonly progress: Progress;
  readonly ledger: Ledger;
  readonly posts: readonly Post[];
  readonly creates: readonly CreateCall[];
  readonly busySeconds: number;
  readonly realSeconds: number;
}

export interface Summary {
  readonly tasks: number;
  readonly done: number;
  readonly requeued: number;
  readonly nodesCreated: number;
  readonly nodesDeleted: number;
  /** Real seconds from a message that named new jobs to the first create call after it, sorted. */
  readonly reactionSeconds: readonly number[];
  readonly nodeHours: number;
  readonly usedNodeHours: number;
  readonly realSeconds: number;
}

export function summarize(run: Run): Summary {
  const deleted = run.ledger.nodes.filter(
    (node) => node.terminatingAt !== null || node.terminatedAt !== null,
  );
  return {
    tasks: run.progress.total,
    done: run.progress.done,
    requeued: run.progress.requeued,
    nodesCreated: run.ledger.created,
    nodesDeleted: deleted.length,
    reactionSeconds: reactions(run.posts, run.creates),
    nodeHours: run.ledger.nodeSeconds / secondsPerHour,
    usedNodeHours: run.busySeconds / secondsPerHour,
    realSeconds: run.realSeconds,
  };
}

/** A message after which no node was created, because the ones there were enough, has no reaction time. */
function reactions(posts: readonly Post[], creates: readonly CreateCall[]): number[] {
  const news = posts.filter((post) => post.newJobs > 0);
  return news
    .flatMap((post, index) => {
      const next = news[index + 1]?.atSeconds ?? Number.POSITIVE_INFINITY;
      const create = creates.find((call) => call.atSeconds >= post.atSeconds && call.atSeconds < next);
      return create === undefined ? [] : [create.atSeconds - post.atSeconds];
    })
    .sort((left, right) => left - right);
}

/** Names that two nodes had at the same time: there must be none. */
export function duplicateNames(ledger: Ledger): readonly string[] {
  const lastEnd = new Map<string, number>();
  const byCreation = [...ledger.nodes].sort((left, right) => left.createdAt - right.createdAt);
  return byCreation.flatMap((node) => {
    const isTwice = node.createdAt < (lastEnd.get(node.name) ?? Number.NEGATIVE_INFINITY);
    lastEnd.set(node.name, node.terminatedAt ?? Number.POSITIVE_INFINITY);
    return isTwice ? [node.name] : [];
  });
}

export function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

export function summaryTable(summary: Summary): string {
  const table = new Table({ style: { head: [], border: [], compact: true } });
  const seconds = (value: number | undefined) =>
    value === undefined ? "no create call" : `${value.toFixed(2)} s`;
  const wasted = summary.nodeHours - summary.usedNodeHours;
  table.push(
    ["tasks done", `${summary.done} of ${summary.tasks}`],
    ["tasks that lost their node", `${summary.requeued}`],
    ["nodes created / deleted", `${summary.nodesCreated} / ${summary.nodesDeleted}`],
    ["reaction, median", seconds(quantile(summary.reactionSeconds, 0.5))],
    ["reaction, p95", seconds(quantile(summary.reactionSeconds, 0.95))],
    ["node-hours used (simulated)", summary.usedNodeHours.toFixed(2)],
    ["node-hours booting or idle", wasted.toFixed(2)],
    ["took", `${summary.realSeconds.toFixed(0)} s`],
  );
  return table.toString();
}
