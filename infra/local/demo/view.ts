import { styleText } from "node:util";
import Table from "cli-table3";
import type { ClusterStatus } from "../../../shared/views/index.ts";
import type { Progress } from "../scheduler/scheduler.ts";

const barWidth = 40;
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

/** The whole screen: progress, nodes by state, the last actions, and anything wrong. */
export function render(scene: Scene): string {
  return [
    styleText(
      "bold",
      `${scene.cluster}  ${clock(scene.elapsedSeconds)}  (simulated time runs x${scene.speed})`,
    ),
    progressLine(scene.progress),
    "",
    nodesTable(scene.status),
    operationsTable(scene.status),
    ...troubles(scene),
  ].join("\n");
}

/** One line for output that is no terminal. */
export function renderLine(scene: Scene): string {
  const { waiting, running, done, total } = scene.progress;
  const nodes = Object.entries(nodesByState(scene.status)).map(([state, count]) => `${count} ${state}`);
  const last = scene.status?.operations[0];
  return [
    clock(scene.elapsedSeconds),
    `tasks: ${waiting} waiting, ${running} running, ${done}/${total} done`,
    `nodes: ${nodes.join(", ") || "none"}`,
    ...(last === undefined ? [] : [`last action: ${last.kind} (${last.reason}) ${last.state}`]),
    ...troubles(scene),
  ].join(" | ");
}

function progressLine({ waiting, running, done, later, total }: Progress): string {
  const filled = total === 0 ? barWidth : Math.round((done / total) * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  return `${bar} ${done}/${total} tasks done, ${running} running, ${waiting} waiting, ${later} not submitted yet`;
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
    style: { head: [], border: [], compact: true },
  });
  const operations = status?.operations.slice(0, shownOperations) ?? [];
  table.push(...operations.map(({ kind, reason, nodes, state }) => [kind, reason, nodes, state]));
  return table.toString();
}

function troubles(scene: Scene): string[] {
  const rejected = scene.status?.rejections.flatMap((rejection) => rejection.problems.slice(0, 1)) ?? [];
  // A job that waits for a node to boot has one planned; these have none.
  const stuck = scene.status?.waiting.slice(0, 2).map((job) => styleText("yellow", job.why.join(" "))) ?? [];
  return [
    ...stuck,
    ...(scene.trouble === undefined ? [] : [styleText("yellow", scene.trouble)]),
    ...(scene.status === undefined ? [styleText("yellow", "the Functions host does not answer")] : []),
    ...rejected.slice(0, 2).map((problem) => styleText("red", `rejected: ${problem}`)),
  ];
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
}
