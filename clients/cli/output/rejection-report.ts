import type { RejectedMessage, Rejection } from "../../../shared/ports.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

const longestProblem = 80;
const indent = 2;

/** One line a rejection, its first problem cut short. */
export function rejectionTable(rejections: readonly Rejection[]): string {
  if (rejections.length === 0) return "No rejected messages.\n";
  const head = ["ID", "RECEIVED", "KIND", "CLUSTER", "SOURCE", "QUEUE", "REPLAYED", "PROBLEM"];
  return table(head, rejections.map(row));
}

function row(rejection: Rejection): string[] {
  const { rejectionId, receivedAtSeconds, kind, cluster, source, queue, replayedAtSeconds } = rejection;
  const replayed = replayedAtSeconds === undefined ? "-" : timeOf(replayedAtSeconds);
  const cells = [
    rejectionId,
    timeOf(receivedAtSeconds),
    kind,
    cluster ?? "-",
    source ?? "-",
    queue,
    replayed,
  ];
  return [...cells, inShort(rejection.problems)].map(printable);
}

function inShort(problems: readonly string[]): string {
  const [first = "", ...more] = problems;
  const start = first.length <= longestProblem ? first : `${first.slice(0, longestProblem)}…`;
  return more.length === 0 ? start : `${start} (and ${more.length} more)`;
}

/** All that is known of one rejection: its facts, every problem, the message. */
export function rejectionReport({ rejection, body }: RejectedMessage): string {
  const facts: readonly (readonly [string, string])[] = [
    ["rejection", rejection.rejectionId],
    ["kind", rejection.kind],
    ["cluster", rejection.cluster ?? "none that is configured"],
    ["source", rejection.source ?? "not said"],
    ["queue", rejection.queue],
    ["received", timeOf(rejection.receivedAtSeconds)],
    ["deliveries", rejection.attempts === undefined ? "not known" : `${rejection.attempts}`],
    ["replayed", rejection.replayedAtSeconds === undefined ? "no" : timeOf(rejection.replayedAtSeconds)],
  ];
  const lines = [
    ...facts.map(([name, value]) => `${name.padEnd("deliveries".length)}  ${value}`),
    "problems",
    ...rejection.problems.map((problem) => `  - ${problem}`),
    ...messageLines(rejection, body),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function messageLines(rejection: Rejection, body: string | undefined): readonly string[] {
  if (body === undefined) return ["message (too large to be kept; its start)", rejection.excerpt];
  return ["message", ...indented(body).split("\n")];
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, indent);
  } catch {
    return body;
  }
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace(".000", "");
}
