import { styleText } from "node:util";
import Table from "cli-table3";
import { duration } from "../../../shared/text/durations.ts";
import type { ClusterStatus } from "../../../shared/views/index.ts";
import type { Progress } from "../scheduler/scheduler.ts";

const barWidth = 20;
const shownOperations = 6;

export interface Scene {
  readonly cluster: string;
  readonly speed: number;
  readonly elapsedSeconds: number;
  readonly progress: Progress;
  /** Undefined while the Functions host cannot be reached. */
  readonly status: ClusterStatus | undefined;
  readonly trouble: string | undefined;
}

/**
 * The whole screen: progress, nodes by state, the last actions, and anything wrong; then a line for each run beside it. No
 * line but a sentence is longer than 80 columns.
 */
export function render(scene: Scene, beside: readonly Scene[] = []): string {
  return [
    styleText(
      "bold",
      `${scene.cluster}  ${duration(Math.floor(scene.elapsedSeconds))}  (simulated time runs x${scene.speed})`,
    ),
    progressLine(scene.progress),
    "",
    nodesTable(scene.status),
    operationsTable(scene.status),
    ...troubles(scene),
    ...beside.flatMap((other) => [besideLine(other), ...troubles(other)]),
  ].join("\n");
}

/** One line for output that is no terminal. */
export function renderLine(scene: Scene, beside: readonly Scene[] = []): string {
  const { waiting, running, done, total } = scene.progress;
  const last = scene.status?.operations[0];
  return [
    duration(Math.floor(scene.elapsedSeconds)),
    `tasks: ${waiting} waiting, ${running} running, ${done}/${total} done`,
    `nodes: ${nodesInWords(scene.status)}`,
    ...(last === undefined ? [] : [`last action: ${last.kind} (${last.reason}) ${last.state}`]),
    ...troubles(scene),
    ...beside.flatMap((other) => [besideLine(other), ...troubles(other)]),
  ].join(" | ");
}

function besideLine({ cluster, progress, status }: Scene): string {
  return `${cluster}: ${progress.done}/${progress.total} done, nodes: ${countOf(status)}`;
}

function countOf(status: ClusterStatus | undefined): number {
  return Object.values(nodesByState(status)).reduce((sum, count) => sum + count, 0);
}

function nodesInWords(status: ClusterStatus | undefined): string {
  const nodes = Object.entries(nodesByState(status)).map(([state, count]) => `${count} ${state}`);
  return nodes.join(", ") || "none";
}

function progressLine({ waiting, running, done, later, total }: Progress): string {
  const filled = total === 0 ? barWidth : Math.round((done / total) * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  return `${bar} ${done}/${total} done, ${running} running, ${waiting} waiting, ${later} to come`;
}

function nodesByState(status: ClusterStatus | undefined): Readonly<Record<string, number>> {
  return status?.nodes ?? {};
}

function nodesTable(status: ClusterStatus | undefined): string {
  const states = Object.entries(nodesByState(status));
  const table = new Table({ head: ["node state", "nodes"], style: { head: [], border: [], compact: true } });
  table.push(...(states.length === 0 ? [["none", 0]] : states.sort()));
  return table.toString();
}

function operationsTable(status: ClusterStatus | undefined): string {
  const table = new Table({
    head: ["last actions", "why", "nodes", "state"],
    colWidths: [20, 37, 7, 11],
    style: { head: [], border: [], compact: true },
  });
  const operations = status?.operations.slice(0, shownOperations) ?? [];
  table.push(...operations.map(({ kind, reason, nodes, state }) => [kind, reason, nodes, state]));
  return table.toString();
}

function troubles(scene: Scene): string[] {
  const rejected = scene.status?.rejections.flatMap((rejection) => rejection.problems.slice(0, 1)) ?? [];
  // A job that waits for a node to boot has one planned; these have none.
  const stuck = scene.status?.waiting.slice(0, 2).map((each) => styleText("yellow", waitText(each))) ?? [];
  return [
    ...stuck,
    ...(scene.trouble === undefined ? [] : [styleText("yellow", scene.trouble)]),
    ...(scene.status === undefined ? [styleText("yellow", "the Functions host does not answer")] : []),
    ...rejected.slice(0, 2).map((problem) => styleText("red", `rejected: ${problem}`)),
  ];
}

/** Who waits, and the first reason: `ccscale explain` has the others, and what to do. */
function waitText({ why }: ClusterStatus["waiting"][number]): string {
  return why.slice(0, 2).join(" ");
}
