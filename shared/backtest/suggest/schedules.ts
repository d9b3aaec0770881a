import type { TimeZone } from "../../time/time-zone.ts";
import { costOf, type RunSummary, summaries } from "../compare/summary.ts";
import type { RunFigures, SettingValue } from "../figures/run-figures.ts";
import type { Workload } from "../trace-job.ts";
import { clockOffset } from "../world/pace.ts";
import type { TuneRuns, Varied } from "./search.ts";

/** Where a schedule that is tried stands in the configuration. */
const key = "schedules.suggested";
/** Shares of the waiting time that the hours of a window hold. */
const sharesOfWaits = [0.5, 0.8];
const countsTried = [2, 4];
const mostArrays = 2;
/** What saves less of the waiting time is not worth a schedule. */
const leastSavedShare = 0.25;
const secondsPerHour = 3_600;
const hoursPerDay = 24;

/** Spare nodes of one node array at some hours of the week. */
interface SpareHours {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly count: number;
  /** As cron has them. */
  readonly days: "mon-fri" | "*";
  readonly fromHour: number;
  /** Not part of them; the next day if it is not after `fromHour`. */
  readonly toHour: number;
  readonly timeZone: string;
}

interface Tried {
  readonly hours: SpareHours;
  readonly figures: RunFigures;
}

export interface SchedulesFound {
  readonly configured: RunFigures;
  /** Those that no other beats in both money and waits, the cheapest first. */
  readonly front: readonly Tried[];
  /** The one among them that saves most waiting time for its money. Undefined: none saves enough of it. */
  readonly best: (Tried & { readonly varied: Varied }) | undefined;
  readonly runs: number;
}

/**
 * Looks for the hours of the week in which spare nodes shorten waits: first one spare node in the windows that hold most of the
 * waiting time for boots, then more nodes in the best of them.
 */
export async function searchSchedules(input: {
  readonly workload: Workload;
  readonly timeZone: TimeZone;
  readonly run: TuneRuns;
  /** Runs at most, the one as configured among them. At least 1. */
  readonly budget: number;
  /** Called with what is best before runs that may find a better one. */
  readonly onBest?: (varied: Varied) => void;
}): Promise<SchedulesFound> {
  const { workload, timeZone, run, budget, onBest } = input;
  const [configured] = await run([{}]);
  if (configured === undefined) throw new TypeError("Cannot search without the run as configured");
  const tried: Tried[] = [];
  const attempt = async (all: readonly SpareHours[]) => {
    const hours = all.slice(0, budget - 1 - tried.length);
    const figures = await run(hours.map(variedOf));
    for (const [index, each] of figures.entries()) {
      const own = hours[index];
      if (own !== undefined) tried.push({ hours: own, figures: each });
    }
  };
  await attempt(candidates(workload, configured, timeZone));
  let best = bestOf(configured, tried);
  // Each further node saves less than the one before: where two are no better than one, four are not either.
  for (const count of countsTried) {
    if (best === undefined || tried.length >= budget - 1) break;
    const before = best.hours;
    onBest?.(variedOf(before));
    await attempt([{ ...before, count }]);
    best = bestOf(configured, tried);
    if (best?.hours === before) break;
  }
  return {
    configured,
    front: frontOf(tried),
    best: best && { ...best, varied: variedOf(best.hours) },
    runs: 1 + tried.length,
  };
}

function variedOf(hours: SpareHours): Varied {
  return { [key]: scheduleOf(hours) };
}

function scheduleOf({
  nodeArray,
  vmSize,
  count,
  days,
  fromHour,
  toHour,
  timeZone,
}: SpareHours): SettingValue {
  return {
    start: `0 ${fromHour} * * ${days}`,
    end: `0 ${toHour} * * *`,
    time_zone: timeZone,
    targets: [{ Name: nodeArray, SpareCount: count, MachineType: vmSize }],
  };
}

/** One spare node of the sizes that are bought most often, in the shortest windows that hold enough of the waiting time. */
function candidates(workload: Workload, configured: RunFigures, timeZone: TimeZone): readonly SpareHours[] {
  const byArray = new Map<string, string>();
  const { boughtByBucket } = configured.nodes;
  for (const { nodeArray, vmSize } of boughtByBucket.toSorted((a, b) => b.nodes - a.nodes))
    if (!byArray.has(nodeArray)) byArray.set(nodeArray, vmSize);
  const waits = waitsByHour(workload, configured, timeZone);
  const windows = [waits.weekdays, waits.allDays].flatMap(({ days, byHour }) =>
    [...new Map(sharesOfWaits.flatMap((share) => shortestWindow(byHour, share))).values()].map((window) => ({
      days,
      ...window,
    })),
  );
  return [...byArray]
    .slice(0, mostArrays)
    .flatMap(([nodeArray, vmSize]) =>
      windows.map((window) => ({ nodeArray, vmSize, count: 1, ...window, timeZone: timeZone.name })),
    );
}

/** Waiting time by the local hour of submission. No more of a job counts than a boot takes: a spare node saves no more. */
function waitsByHour(workload: Workload, { perJob, nodes }: RunFigures, timeZone: TimeZone) {
  const weekdays = Array.from({ length: hoursPerDay }, () => 0);
  const allDays = [...weekdays];
  const offset = clockOffset(workload);
  const mostSeconds = nodes.bootSeconds?.p95 ?? 0;
  let place = 0;
  for (const { submitSeconds } of workload.jobs) {
    const waited = perJob.waitSeconds[place] ?? Number.NaN;
    place += 1;
    if (Number.isNaN(waited)) continue;
    const local = new Date(timeZone.localAt(submitSeconds + offset) * 1_000);
    const [hour, day, seconds] = [local.getUTCHours(), local.getUTCDay(), Math.min(waited, mostSeconds)];
    allDays[hour] = (allDays[hour] ?? 0) + seconds;
    if (day !== 0 && day !== 6) weekdays[hour] = (weekdays[hour] ?? 0) + seconds;
  }
  return {
    weekdays: { days: "mon-fri" as const, byHour: weekdays },
    allDays: { days: "*" as const, byHour: allDays },
  };
}

type HoursOfDay = Pick<SpareHours, "fromHour" | "toHour">;

/** The fewest hours in a row that hold a share of all, by a key that equal windows share. None: nobody waited. */
function shortestWindow(
  byHour: readonly number[],
  share: number,
): readonly (readonly [string, HoursOfDay])[] {
  const wanted = share * byHour.reduce((sum, each) => sum + each, 0);
  if (wanted === 0) return [];
  for (let length = 1; length < hoursPerDay; length += 1) {
    const sums = byHour.map((_, from) =>
      Array.from({ length }, (__, index) => byHour[(from + index) % hoursPerDay] ?? 0).reduce(
        (a, b) => a + b,
        0,
      ),
    );
    const most = Math.max(...sums);
    const fromHour = sums.indexOf(most);
    if (most >= wanted)
      return [[`${fromHour} ${length}`, { fromHour, toHour: (fromHour + length) % hoursPerDay }]];
  }
  return [["all", { fromHour: 0, toHour: 0 }]];
}

/** Jobs that wait for other jobs are the same in both. */
function waitedSeconds({ waitSeconds, jobs }: RunFigures): number {
  return (waitSeconds?.mean ?? 0) * jobs.ended;
}

function bestOf(configured: RunFigures, tried: readonly Tried[]): Tried | undefined {
  const before = waitedSeconds(configured);
  const worth = ({ figures }: Tried) =>
    (before - waitedSeconds(figures)) / Math.max(1, costOf(figures) - costOf(configured));
  return tried
    .filter(
      ({ figures }) =>
        figures.jobs.ended >= configured.jobs.ended &&
        before - waitedSeconds(figures) >= leastSavedShare * before &&
        before > 0,
    )
    .toSorted((a, b) => worth(b) - worth(a))[0];
}

function frontOf(tried: readonly Tried[]): readonly Tried[] {
  const byCost = tried.toSorted((a, b) => costOf(a.figures) - costOf(b.figures));
  let least = Number.POSITIVE_INFINITY;
  return byCost.filter(({ figures }) => {
    const waited = waitedSeconds(figures);
    if (waited >= least) return false;
    least = waited;
    return true;
  });
}

/** What was found, with how it does on the part of the workload that it was not searched on; the last line is the configuration. */
export function schedulesText(
  { configured, front, best, runs }: SchedulesFound,
  checked: { readonly configured: RunFigures; readonly changed: RunFigures },
): readonly string[] {
  const searched = `${runs} ${runs === 1 ? "run" : "runs"} on the first part of the workload.`;
  const others = front
    .filter(({ hours }) => hours !== best?.hours)
    .map(({ hours, figures }) => `Also tried: ${inWords(hours)}: ${compared(configured, figures)}.`);
  if (best === undefined)
    return [
      configured.nodes.bootSeconds === null || waitedSeconds(configured) === 0
        ? "No schedule: no job waits for a node to boot."
        : `No schedule: none that was tried saves ${100 * leastSavedShare} % of the waiting time.`,
      ...others,
      searched,
    ];
  const saved = waitedSeconds(checked.configured) - waitedSeconds(checked.changed);
  return [
    `${saved > 0 ? "Use" : "Not sure:"} ${inWords(best.hours)}.`,
    `On the part that was not searched on: ${compared(checked.configured, checked.changed)}. Where it was searched: ${compared(configured, best.figures)}.`,
    ...others,
    searched,
    "To use it, save the next line as schedules.json, include that in autoscale.json, and push.",
    JSON.stringify({ schedules: { suggested: best.varied[key] } }),
  ];
}

function inWords({ nodeArray, vmSize, count, days, fromHour, toHour, timeZone }: SpareHours): string {
  const when = fromHour === toHour ? "all day" : `from ${fromHour}:00 to ${toHour}:00`;
  const nodes = `${count} spare ${count === 1 ? "node" : "nodes"}`;
  return `${nodes} of ${nodeArray} (${vmSize}) ${when} ${days === "*" ? "every day" : "on weekdays"} (${timeZone})`;
}

/** `5.2 % ($310) more, mean wait 8.1 s in place of 19.3 s, $4.10 for each hour of waiting saved`. */
function compared(before: RunFigures, after: RunFigures): string {
  const [first, second] = summaries([before, after]) as [RunSummary, RunSummary];
  const share = costOf(before) === 0 ? 0 : costOf(after) / costOf(before) - 1;
  const usd = first.costUsd === null || second.costUsd === null ? null : second.costUsd - first.costUsd;
  const savedHours = (waitedSeconds(before) - waitedSeconds(after)) / secondsPerHour;
  const money = usd === null ? "" : ` (${inUsd(Math.abs(usd))})`;
  const each =
    usd === null || usd <= 0 || savedHours <= 0
      ? ""
      : `, ${inUsd(usd / savedHours)} for each hour of waiting saved`;
  const wait = (seconds: number | null) => `${(seconds ?? 0).toFixed(1)} s`;
  return `${(100 * Math.abs(share)).toFixed(1)} %${money} ${share < 0 ? "less" : "more"}, mean wait ${wait(second.meanWaitSeconds)} in place of ${wait(first.meanWaitSeconds)}${each}`;
}

function inUsd(usd: number): string {
  return `$${usd < 100 ? usd.toFixed(2) : Math.round(usd)}`;
}
