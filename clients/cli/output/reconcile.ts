import type { CostAnswer, UsageAnswer } from "../../../shared/api/index.ts";

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** One day of CycleCloud's count beside ours. Core-hours, but for the money; the last four add up to `cycleCloud`. */
export interface ReconciledDay {
  /** "2026-11-22"; "TOTAL" for all of them. */
  readonly day: string;
  /** Null: CycleCloud has no count of this day. */
  readonly cycleCloud: number | null;
  /** Null: the cores of some size are not known. */
  readonly ours: number | null;
  /** CycleCloud's of nodes outside all node arrays, such as head nodes: they are not counted here. */
  readonly outside: number;
  /** CycleCloud's from before our first snapshot. */
  readonly before: number;
  /** What is left to explain; negative: we count more. */
  readonly rest: number | null;
  /** Null: CycleCloud knows no price. */
  readonly cycleCloudUsd: number | null;
  readonly ourUsd: number;
}

export interface Counts {
  /** By day, of whole days. */
  readonly cost: CostAnswer;
  /** By day, of the same time. */
  readonly usage: UsageAnswer;
  /** Hours of the day of our first snapshot; undefined: it is not among these days. */
  readonly firstDay: UsageAnswer | undefined;
}

/** Puts CycleCloud's count beside ours, day by day, and shows the parts of the difference that are known. */
export function reconcile({ cost, usage, firstDay }: Counts): readonly ReconciledDay[] {
  const { openedAtSeconds: opened } = cost;
  const ours = new Map(cost.rows.map((row) => [String(row.keys.day), row]));
  const both = usage.intervals.map((interval): ReconciledDay => {
    const { startSeconds, endSeconds, total, parts } = interval;
    const day = new Date(startSeconds * 1_000).toISOString().slice(0, "2026-11-22".length);
    const own = ours.get(day);
    ours.delete(day);
    const ourHours = own === undefined ? 0 : own.coreHours;
    const outside = total.coreHours - inArrays(parts);
    const before = beforeFirst({ startSeconds, endSeconds, all: inArrays(parts), opened, firstDay });
    return {
      day,
      cycleCloud: total.coreHours,
      ours: ourHours,
      outside,
      before,
      rest: ourHours === null ? null : total.coreHours - outside - before - ourHours,
      cycleCloudUsd: total.cost,
      ourUsd: own?.usd ?? 0,
    };
  });
  return [...both, ...[...ours].map(ofOurs)].toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** A day without a count from CycleCloud: its difference is unknown. */
function ofOurs([day, { coreHours, usd }]: readonly [string, CostAnswer["rows"][number]]): ReconciledDay {
  const unknown = { cycleCloud: null, rest: null, cycleCloudUsd: null };
  return { day, ...unknown, ours: coreHours, outside: 0, before: 0, ourUsd: usd };
}

export function reconciledTotal(days: readonly ReconciledDay[]): ReconciledDay {
  const sum = (of: (day: ReconciledDay) => number | null) =>
    days.reduce<number | null>((all, day) => {
      const value = of(day);
      return all === null || value === null ? null : all + value;
    }, 0);
  return {
    day: "TOTAL",
    cycleCloud: sum(({ cycleCloud }) => cycleCloud),
    ours: sum(({ ours }) => ours),
    outside: sum(({ outside }) => outside) ?? 0,
    before: sum(({ before }) => before) ?? 0,
    rest: sum(({ rest }) => rest),
    cycleCloudUsd: sum(({ cycleCloudUsd }) => cycleCloudUsd),
    ourUsd: sum(({ ourUsd }) => ourUsd) ?? 0,
  };
}

/** Start of the day of our first snapshot, if it is in this time: CycleCloud is then asked for its hours. */
export function firstDayIn({ openedAtSeconds, fromSeconds, untilSeconds }: CostAnswer): number | undefined {
  if (openedAtSeconds === null) return undefined;
  const start = Math.floor(openedAtSeconds / daySeconds) * daySeconds;
  const isWhole = openedAtSeconds === start;
  return !isWhole && start >= fromSeconds && start < untilSeconds ? start : undefined;
}

/** What CycleCloud counted of node arrays before we did: whole days, whole hours of the first day, and a share of its first hour. */
function beforeFirst(given: {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly all: number;
  readonly opened: number | null;
  readonly firstDay: UsageAnswer | undefined;
}): number {
  const { startSeconds, endSeconds, all, opened, firstDay } = given;
  if (opened === null || endSeconds <= opened) return all;
  if (startSeconds >= opened) return 0;
  return (firstDay?.intervals ?? []).reduce((sum, { startSeconds: hour, parts }) => {
    const share = Math.min(1, Math.max(0, (opened - hour) / hourSeconds));
    return sum + share * inArrays(parts);
  }, 0);
}

function inArrays(parts: UsageAnswer["intervals"][number]["parts"]): number {
  return parts
    .filter(({ category }) => category === "nodearray")
    .reduce((sum, { coreHours }) => sum + coreHours, 0);
}
