import type { TimeZone } from "../../time/time-zone.ts";
import { costOf } from "../compare/pareto.ts";
import { type RunSummary, summaries } from "../compare/summary.ts";
import type { RunFigures, SettingValue } from "../figures/run-figures.ts";
import type { Workload } from "../trace-job.ts";
import { savedOfWeek, waitsOfWeek } from "./hours-of-week.ts";
import type { TuneRuns, Varied } from "./search.ts";

/** Where a schedule that is tried stands in the configuration. */
const key = "schedules.suggested";
/** Shares of the waiting time that the hours of a window hold. */
const sharesOfWaits = [0.5, 0.8];
const countsTried = [2, 4];
const mostArrays = 2;
/** The second in percent of the slots that jobs use. A fixed number of them costs more for what it saves. */
const bufferSizes = ["auto", 20] as const;
/** What saves less of the waiting time is not worth a schedule. */
const leastSavedShare = 0.25;
const secondsPerHour = 3_600;
const hoursPerDay = 24;

/** Spare nodes of one node array at some hours of the week. */
interface SpareHours {
  readonly kind: "hours";
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

/** A buffer: spare slots of one core, always. */
interface SpareSlots {
  readonly kind: "slots";
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly size: (typeof bufferSizes)[number];
}

type Spare = SpareHours | SpareSlots;

interface Tried {
  readonly spare: Spare;
  readonly figures: RunFigures;
}

export interface SchedulesFound {
  readonly configured: RunFigures;
  /** Those that no other beats in both money and waits, the cheapest first. */
  readonly front: readonly Tried[];
  /** The one that saves most waiting time for its money. Undefined: none saves enough of it. */
  readonly best: (Tried & { readonly varied: Varied }) | undefined;
  /** The same among the others: the best buffer if `best` has hours, and the other way round. */
  readonly other: Tried | undefined;
  readonly runs: number;
}

/**
 * Looks for spare room that shortens waits: a buffer of slots, and one spare node in the hours of the week that hold most of the waiting
 * time for boots; then more nodes in the best of these hours, where no buffer is better.
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
  const attempt = async (all: readonly Spare[]) => {
    const spares = all.slice(0, budget - 1 - tried.length);
    const figures = await run(spares.map(variedOf));
    for (const [index, each] of figures.entries()) {
      const spare = spares[index];
      if (spare !== undefined) tried.push({ spare, figures: each });
    }
  };
  await attempt(candidates(workload, configured, timeZone));
  let best = bestOf(configured, tried);
  // Each further node saves less than the one before: where two are no better than one, four are not either.
  for (const count of countsTried) {
    if (best?.spare.kind !== "hours" || tried.length >= budget - 1) break;
    const before = best.spare;
    onBest?.(variedOf(before));
    await attempt([{ ...before, count }]);
    best = bestOf(configured, tried);
    if (best?.spare === before) break;
  }
  const kind = best?.spare.kind;
  return {
    configured,
    front: frontOf(tried),
    best: best && { ...best, varied: variedOf(best.spare) },
    other: bestOf(
      configured,
      tried.filter(({ spare }) => spare.kind !== kind),
    ),
    runs: 1 + tried.length,
  };
}

function variedOf(spare: Spare): Varied {
  return { [key]: scheduleOf(spare) };
}

function scheduleOf(spare: Spare): SettingValue {
  const about = { Name: spare.nodeArray, MachineType: spare.vmSize };
  if (spare.kind === "slots") {
    const size = spare.size === "auto" ? { SpareSlots: spare.size } : { SparePercent: spare.size };
    return { targets: [{ ...about, ...size, SlotResources: { ncpus: 1 } }] };
  }
  const { count, days, fromHour, toHour, timeZone } = spare;
  return {
    start: `0 ${fromHour} * * ${days}`,
    end: `0 ${toHour} * * *`,
    time_zone: timeZone,
    targets: [{ ...about, SpareCount: count }],
  };
}

/** Of the sizes that are bought most often: buffers, and one node in the shortest windows that hold enough of the waiting time. */
function candidates(workload: Workload, configured: RunFigures, timeZone: TimeZone): readonly Spare[] {
  const byArray = new Map<string, string>();
  const { boughtByBucket, bootSeconds } = configured.nodes;
  for (const { nodeArray, vmSize } of boughtByBucket.toSorted((a, b) => b.nodes - a.nodes))
    if (!byArray.has(nodeArray)) byArray.set(nodeArray, vmSize);
  // No more of a wait counts than a boot takes: a spare node saves no more.
  const mostSeconds = bootSeconds?.p95 ?? 0;
  const week = waitsOfWeek(workload, configured, { timeZone, mostSeconds });
  const dayOf = (isIn: (hour: number) => boolean) =>
    Array.from({ length: hoursPerDay }, (_, at) =>
      week.reduce((sum, each, hour) => (hour % hoursPerDay === at && isIn(hour) ? sum + each : sum), 0),
    );
  const windows = [
    { days: "mon-fri" as const, byHour: dayOf((hour) => hour >= hoursPerDay && hour < 6 * hoursPerDay) },
    { days: "*" as const, byHour: dayOf(() => true) },
  ].flatMap(({ days, byHour }) =>
    [...new Map(sharesOfWaits.flatMap((share) => shortestWindow(byHour, share))).values()].map((window) => ({
      days,
      ...window,
    })),
  );
  return [...byArray].slice(0, mostArrays).flatMap(([nodeArray, vmSize]): readonly Spare[] => {
    const about = { nodeArray, vmSize };
    return [
      ...(windows.length === 0 ? [] : bufferSizes).map((size): Spare => ({ kind: "slots", ...about, size })),
      ...windows.map(
        (window): Spare => ({ kind: "hours", ...about, count: 1, ...window, timeZone: timeZone.name }),
      ),
    ];
  });
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
  { configured, front, best, other, runs }: SchedulesFound,
  checked: { readonly configured: RunFigures; readonly changed: RunFigures },
  { workload, timeZone }: { readonly workload: Workload; readonly timeZone: TimeZone },
): readonly string[] {
  const searched = `${runs} ${runs === 1 ? "run" : "runs"} on the first part of the workload.`;
  const others = front
    .filter(({ spare }) => spare !== best?.spare && spare !== other?.spare)
    .map(({ spare, figures }) => `Also tried: ${inWords(spare)}: ${compared(configured, figures)}.`);
  if (best === undefined)
    return [
      configured.nodes.bootSeconds === null || waitedSeconds(configured) === 0
        ? "No schedule or buffer: no job waits for a node to boot."
        : `No schedule or buffer: none that was tried saves ${100 * leastSavedShare} % of the waiting time.`,
      ...others,
      searched,
    ];
  const { configured: before, changed: after } = checked;
  const saved = waitedSeconds(before) - waitedSeconds(after);
  const hours = savedOfWeek(workload, { before, after, timeZone });
  return [
    `${saved > 0 ? "Use" : "Not sure:"} ${inWords(best.spare)}.`,
    `On the part that was not searched on: ${compared(before, after)}. Where it was searched: ${compared(configured, best.figures)}.`,
    ...(hours === "" ? [] : [`There it saves most in these hours of the week (${timeZone.name}): ${hours}.`]),
    ...(other === undefined
      ? []
      : [
          `Or ${inWords(other.spare)}: where it was searched, ${compared(configured, other.figures)}. As a configuration: ${configurationOf(other.spare)}`,
        ]),
    ...others,
    searched,
    "To use it, save the next line as schedules.json, include that in autoscale.json, and push.",
    configurationOf(best.spare),
  ];
}

function configurationOf(spare: Spare): string {
  return JSON.stringify({ schedules: { suggested: scheduleOf(spare) } });
}

function inWords(spare: Spare): string {
  const of = `of ${spare.nodeArray} (${spare.vmSize})`;
  if (spare.kind === "slots")
    return spare.size === "auto"
      ? `as many spare cores ${of} as are needed`
      : `${spare.size} % of the cores in use as spare ones ${of}`;
  const { count, days, fromHour, toHour, timeZone } = spare;
  const when = fromHour === toHour ? "all day" : `from ${fromHour}:00 to ${toHour}:00`;
  const nodes = `${count} spare ${count === 1 ? "node" : "nodes"}`;
  return `${nodes} ${of} ${when} ${days === "*" ? "every day" : "on weekdays"} (${timeZone})`;
}

/** `5.2 % ($310) more, mean wait 8.1 s in place of 19.3 s, $4.10 for each hour of waiting saved`. */
function compared(before: RunFigures, after: RunFigures): string {
  const [first, second] = summaries([before, after]) as [RunSummary, RunSummary];
  const share = costOf(before) === 0 ? 0 : costOf(after) / costOf(before) - 1;
  const usd =
    first.costUsd === null || second.costUsd === null ? null : (costOf(after) - costOf(before)) / 1e9;
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
