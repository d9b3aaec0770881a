import Table from "cli-table3";
import { duration, exactDuration } from "../../../shared/text/durations.ts";
import type { Post } from "../scheduler/run.ts";
import type { Progress } from "../scheduler/scheduler.ts";
import type { Costs } from "./costs.ts";
import type { CreateCall, Ledger } from "./simulator.ts";

export interface Run {
  readonly progress: Progress;
  readonly ledger: Ledger;
  readonly posts: readonly Post[];
  readonly creates: readonly CreateCall[];
  readonly costs: Costs | undefined;
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
  /** Undefined: the service did not answer. */
  readonly costs: Costs | undefined;
  readonly realSeconds: number;
}

export function summarize(run: Run): Summary {
  return {
    tasks: run.progress.total,
    done: run.progress.done,
    requeued: run.progress.requeued,
    nodesCreated: run.ledger.created,
    nodesDeleted: run.ledger.nodes.filter((node) => node.terminatedAt !== null).length,
    reactionSeconds: reactions(run.posts, run.creates),
    costs: run.costs,
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

function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** One run, and under which name it stands in the table. */
export interface NamedSummary {
  readonly name: string;
  readonly summary: Summary;
}

/** A column for each run. Money and hours are those of the simulated world, as the service counted them. */
export function summaryTable(runs: readonly NamedSummary[]): string {
  const table = new Table({
    ...(runs.length > 1 ? { head: ["placement", ...runs.map(({ name }) => name)] } : {}),
    colAligns: ["left", ...runs.map(() => "right" as const)],
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map(([title, cell]) => [title, ...runs.map(({ summary }) => cell(summary))]));
  return table.toString();
}

const rows: readonly (readonly [string, (summary: Summary) => string])[] = [
  ["tasks done", ({ done, tasks }) => `${done} of ${tasks}`],
  ["tasks that lost their node", ({ requeued }) => `${requeued}`],
  ["nodes created / deleted", ({ nodesCreated, nodesDeleted }) => `${nodesCreated} / ${nodesDeleted}`],
  ["reaction, median", ({ reactionSeconds }) => seconds(quantile(reactionSeconds, 0.5))],
  ["reaction, p95", ({ reactionSeconds }) => seconds(quantile(reactionSeconds, 0.95))],
  ["node-hours", ({ costs }) => (costs === undefined ? notKnown : costs.nodeHours.toFixed(2))],
  ["USD", ({ costs }) => money(costs?.usd)],
  ["  for jobs", ({ costs }) => money(costs?.byPurpose.job)],
  ["  unused beside jobs", ({ costs }) => money(costs?.byPurpose.unused)],
  ["  booting", ({ costs }) => money(costs?.byPurpose.boot)],
  ["  idle", ({ costs }) => money(costs?.byPurpose.idle)],
  ["  drained, failed or ending", ({ costs }) => money(costs && restOf(costs))],
  ["took", ({ realSeconds }) => duration(realSeconds)],
];

const notKnown = "not known";

function restOf({ byPurpose: { drained, kept, failed, ending } }: Costs): number {
  return drained + kept + failed + ending;
}

function money(usd: number | undefined): string {
  return usd === undefined ? notKnown : usd.toFixed(2);
}

function seconds(value: number | undefined): string {
  return value === undefined ? "no create call" : exactDuration(Number(value.toFixed(2)));
}
