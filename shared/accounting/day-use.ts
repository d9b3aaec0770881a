import { daySeconds } from "./calendar.ts";
import type { Purpose } from "./lines.ts";
import type { Page } from "./pages.ts";
import type { NodeUse } from "./sight.ts";

/** Use of a node's time: with jobs, idle, booting, failed, or anything else. */
const nodeTimes = ["busy", "idle", "boot", "failed", "other"] as const;
type NodeTime = (typeof nodeTimes)[number];

/** Milliseconds of nodes, by what they were. */
type NodeTimes = Readonly<Record<NodeTime, number>>;

export interface HourUse {
  readonly fromSeconds: number;
  readonly nodeMs: NodeTimes;
}

const hoursKept = 24;
const none: NodeTimes = { busy: 0, idle: 0, boot: 0, failed: 0, other: 0 };

const timeOf: Readonly<Record<Purpose, NodeTime>> = {
  job: "busy",
  unused: "busy",
  idle: "idle",
  boot: "boot",
  failed: "failed",
  drained: "other",
  kept: "other",
  ending: "other",
};

function plusLines(times: NodeTimes, lines: Page["lines"]): NodeTimes {
  const sums = { ...times };
  for (const { purpose, nodeMs } of lines) sums[timeOf[purpose]] += nodeMs;
  return sums;
}

/** The last whole hours, with those that were closed since. */
export function lastHours(known: readonly HourUse[], closed: readonly Page[]): readonly HourUse[] {
  const added = closed.map(({ fromSeconds, lines }) => ({ fromSeconds, nodeMs: plusLines(none, lines) }));
  return [...known, ...added].slice(-hoursKept);
}

/** The part of the open record that shows what nodes were used for. */
interface OpenAccounts {
  readonly asOfSeconds: number;
  readonly openedAtSeconds: number;
  readonly lastHours: readonly HourUse[];
  readonly hour: Page;
  readonly nodes: readonly { readonly use: NodeUse; readonly sinceMs: number }[];
}

/** What nodes were in the last 24 hours: whole hours, and the open one until the nodes were seen last. */
export interface DayUse {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  readonly nodeMs: NodeTimes;
}

export function lastDayUse(book: OpenAccounts): DayUse {
  const { asOfSeconds: untilSeconds, openedAtSeconds } = book;
  const hours = book.lastHours.filter(({ fromSeconds }) => fromSeconds >= untilSeconds - daySeconds);
  const untilMs = Math.round(untilSeconds * 1_000);
  const sums = { ...plusLines(none, book.hour.lines) };
  for (const { nodeMs } of hours) for (const time of nodeTimes) sums[time] += nodeMs[time];
  // The time since a node's use changed is in no page yet.
  for (const { use, sinceMs } of book.nodes) sums[timeOf[use === "jobs" ? "job" : use]] += untilMs - sinceMs;
  const fromSeconds = hours[0]?.fromSeconds ?? book.hour.fromSeconds;
  return {
    fromSeconds: hours.length === 0 ? Math.max(fromSeconds, openedAtSeconds) : fromSeconds,
    untilSeconds,
    nodeMs: sums,
  };
}
