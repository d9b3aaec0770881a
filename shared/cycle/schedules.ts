import { hourSeconds } from "../accounting/index.ts";
import type { NodeHistory } from "../engine/index.ts";
import { asksForSpares, isSizedByItself } from "../messages/index.ts";
import type { ClusterConfig, RequestSet, Schedule } from "../ports/index.ts";
import { bounded } from "../text/describe-issues.ts";
import { moment } from "../text/moment.ts";
import { isAlwaysOpen, type Window, windowsAt } from "../time/recurring.ts";
import { slowBootSeconds } from "./boot-times.ts";
import { earliest } from "./clocks.ts";

/** Begins the names of their request sets. No request can have a name with a slash. */
const prefix = "schedule/";

/** The name of the schedule whose request set it is; undefined: somebody asked. */
export function scheduleOf(requestSet: string): string | undefined {
  return requestSet.startsWith(prefix) ? requestSet.slice(prefix.length) : undefined;
}

/** A cluster's schedules, and how long its nodes took to boot. */
export interface Scheduled {
  readonly config: Pick<ClusterConfig, "cluster" | "schedules">;
  readonly history: readonly NodeHistory[];
  readonly nowSeconds: number;
}

/** The request sets, with those of schedules as they are now in place of others. */
export function withScheduled(sets: readonly RequestSet[], scheduled: Scheduled): readonly RequestSet[] {
  const asked = sets.filter(({ requestSet }) => !requestSet.startsWith(prefix));
  const kept = scheduledSets(scheduled);
  return kept.length === 0 && asked.length === sets.length ? sets : [...asked, ...kept];
}

/** The targets of windows that are open, or near enough for nodes to be asked for, as request sets that end with their window. */
function scheduledSets({ config, history, nowSeconds }: Scheduled): readonly RequestSet[] {
  const { cluster, schedules = [] } = config;
  return schedules.flatMap((schedule) => {
    const window = currentWindow(schedule, history, nowSeconds);
    return window === null ? [] : [toRequestSet(cluster, schedule, window)];
  });
}

/** When the next window opens or ends, or the hour for which spare room was sized: another plan is due then. Null: no schedule has one. */
export function nextScheduleSeconds({ config, history, nowSeconds }: Scheduled): number | null {
  return earliest(
    (config.schedules ?? []).map((schedule) => {
      const { open, next } = windowsAt(schedule, nowSeconds);
      if (open !== null) return Math.min(open.endSeconds, sizedUntilSeconds(schedule, nowSeconds));
      if (next === null) return null;
      const askedSeconds = next.startSeconds - leadOf(schedule, history, nowSeconds);
      return askedSeconds > nowSeconds ? askedSeconds : next.endSeconds;
    }),
  );
}

function sizedUntilSeconds({ targets }: Schedule, nowSeconds: number): number {
  return targets.some(isSizedByItself)
    ? (Math.floor(nowSeconds / hourSeconds) + 1) * hourSeconds
    : Number.POSITIVE_INFINITY;
}

/** What was found last of the schedules of a configuration, which stays so from one moment until another. */
const windowsBefore = new WeakMap<
  readonly Schedule[],
  { readonly fromSeconds: number; readonly untilSeconds: number; readonly sets: readonly RequestSet[] }
>();

/** Of each schedule the window that is open, or else the next one, which nobody needs nodes for yet. */
export function windowsOfSchedules(
  { cluster, schedules = [] }: Pick<ClusterConfig, "cluster" | "schedules">,
  nowSeconds: number,
): readonly RequestSet[] {
  const before = windowsBefore.get(schedules);
  if (before !== undefined && before.fromSeconds <= nowSeconds && nowSeconds < before.untilSeconds)
    return before.sets;
  let untilSeconds = Number.POSITIVE_INFINITY;
  const sets = schedules.flatMap((schedule) => {
    const { open, next } = windowsAt(schedule, nowSeconds);
    for (const change of [open?.endSeconds, next?.startSeconds])
      untilSeconds = Math.min(untilSeconds, change ?? untilSeconds);
    const window = open ?? next;
    return window === null ? [] : [toRequestSet(cluster, schedule, window)];
  });
  windowsBefore.set(schedules, { fromSeconds: nowSeconds, untilSeconds, sets });
  return sets;
}

/** Overlaps within this time are found: weekly windows come twice in it. */
const foreseenSeconds = 14 * 86_400;
/** The windows of one schedule that are looked at. */
const mostForeseen = 200;

/**
 * Schedules whose windows ask for the same of one node array, or set the same key, at the same time: by the first time that they do.
 * One without a start is always open, and meant to lie below the others.
 */
export function overlappingSchedules(
  { schedules = [] }: Pick<ClusterConfig, "schedules">,
  nowSeconds: number,
): readonly string[] {
  const windowsOf = schedules.map((schedule) =>
    windowsIn(schedule, nowSeconds, nowSeconds + foreseenSeconds).map((window) => ({
      ...window,
      name: schedule.name,
    })),
  );
  const asked = schedules.flatMap(({ targets, settings = {} }, index) =>
    [...new Set([...targets.map(askedOf), ...Object.keys(settings).map((key) => `sets ${key}`)])].map(
      (of) => ({ of, windows: windowsOf[index] ?? [] }),
    ),
  );
  const warnings = new Map<string, string>();
  for (const [of, schedulesOf] of Map.groupBy(asked, (each) => each.of)) {
    const windows = schedulesOf.length < 2 ? [] : schedulesOf.flatMap((each) => each.windows);
    const ends = new Map<string, number>();
    for (const { name, startSeconds, endSeconds } of windows.toSorted(
      (a, b) => a.startSeconds - b.startSeconds,
    )) {
      const [other] = [...ends].find(([each, end]) => each !== name && end > startSeconds) ?? [];
      const pair = [name, other].toSorted().join(", ");
      if (other !== undefined && !warnings.has(pair)) {
        warnings.set(
          pair,
          `schedules.${name}: ${of} while schedules.${other} does, first at ${moment(Math.max(startSeconds, nowSeconds))}; ${of.startsWith("sets ") ? "the later of them in the file counts" : "the larger number counts, not the sum"}`,
        );
      }
      ends.set(name, Math.max(endSeconds, ends.get(name) ?? 0));
    }
  }
  return bounded([...warnings.values()]);
}

function askedOf(target: Schedule["targets"][number]): string {
  const { Name, TargetGroupCount } = target;
  if (asksForSpares(target)) return `asks for spare nodes of "${Name}"`;
  return `asks for ${TargetGroupCount === undefined ? "nodes" : "groups"} of "${Name}"`;
}

/** Windows of a schedule that touch a period, in order; none of one that is always open. */
export function windowsIn(schedule: Schedule, fromSeconds: number, untilSeconds: number): readonly Window[] {
  const windows: Window[] = [];
  if (isAlwaysOpen(schedule)) return windows;
  let { open, next } = windowsAt(schedule, fromSeconds);
  if (open !== null) windows.push(open);
  while (next !== null && next.startSeconds < untilSeconds && windows.length < mostForeseen) {
    windows.push(next);
    ({ next } = windowsAt(schedule, next.startSeconds));
  }
  return windows;
}

function toRequestSet(cluster: string, schedule: Schedule, { startSeconds, endSeconds }: Window): RequestSet {
  return {
    cluster,
    requestSet: `${prefix}${schedule.name}`,
    source: "autoscale.json",
    sequence: 0,
    sentAtSeconds: startSeconds,
    receivedAtSeconds: startSeconds,
    expiresAtSeconds: endSeconds,
    ...(isAlwaysOpen(schedule) && { isLasting: true }),
    arrays: schedule.targets,
    ignoredMessages: 0,
  };
}

function currentWindow(
  schedule: Schedule,
  history: readonly NodeHistory[],
  nowSeconds: number,
): Window | null {
  const { open, next } = windowsAt(schedule, nowSeconds);
  if (open !== null) return open;
  const isNear = next !== null && next.startSeconds - leadOf(schedule, history, nowSeconds) <= nowSeconds;
  return isNear ? next : null;
}

function leadOf(
  { leadSeconds, targets }: Schedule,
  history: readonly NodeHistory[],
  nowSeconds: number,
): number {
  if (targets.length === 0) return 0;
  if (leadSeconds !== null) return leadSeconds;
  const arrays = new Set(targets.map(({ Name, Extends = Name }) => Extends));
  return Math.max(...[...arrays].map((array) => slowBootSeconds(history, array, nowSeconds)));
}
