import {
  type RunFigures,
  schedulesText,
  searchSchedules,
  searchSettings,
  splitWorkload,
  suggestionOf,
  suggestionText,
  type TimeZone,
  type Tunable,
  type TuneRuns,
  type Workload,
} from "../../../shared/backtest/index.ts";
import { forNodeArray, placements } from "../../../shared/engine/index.ts";
import type { ClusterConfig } from "../../../shared/ports/index.ts";
import { parseFor, type Setting, type Task } from "./one-run.ts";
import type { suggested } from "./run-flags.ts";
import { RunThreads } from "./run-tasks.ts";
import { withValues } from "./vary.ts";

/** The part of the workload's time that may be tuned on. */
const tunedShare = 0.6;
/** Schedules and buffers are searched on no more of it than its last six weeks: runs with buffers look at each job. */
const mostSearchedSeconds = 42 * 86_400;
/** Waits may grow by a tenth (and half a minute). */
const longestWait = 1.1;
const idleTimeouts = [60, 120, 300, 600, 900, 1_800, "auto"];
const patienceSeconds = [0, 60, 300, 900];

interface Wish {
  readonly setting: Setting;
  /** The configuration as it is. */
  readonly task: Task;
  readonly what: (typeof suggested)[number];
  /** On whose clock schedules have their hours. */
  readonly timeZone: TimeZone;
  /** Runs that the search may take; two more check what it finds. */
  readonly budget: number;
  /** Threads. */
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Searches on the first part of the workload and checks on the rest what it found. In sentences; undefined: it was stopped. */
export async function suggest(wish: Wish): Promise<readonly string[] | undefined> {
  const { setting, task, what, timeZone, budget, workers, signal, onProgress } = wish;
  const split = splitWorkload(
    setting.workload,
    tunedShare,
    what === "schedules" ? mostSearchedSeconds : undefined,
  );
  if (split === undefined)
    return ["No suggestion: the workload is too short to tune on one part and check on another."];
  let done = 0;
  const threadsOf = (workload: Workload) =>
    new RunThreads({ ...setting, workload }, { workers, signal, isBesideOthers: workload === split.tune });
  const [tuning, checking] = [threadsOf(split.tune), threadsOf(split.check)];
  const run = async (threads: RunThreads, all: readonly Task["varied"][]): Promise<readonly RunFigures[]> => {
    const tasks = all.map((varied) => ({ json: withValues(task.json, varied), varied, seed: task.seed }));
    const base = done;
    const runs = await threads.run(tasks, (share) =>
      onProgress((base + share * tasks.length) / (budget + 2)),
    );
    signal.throwIfAborted();
    done += tasks.length;
    return runs.filter((figures) => figures !== undefined);
  };
  const parts: Parts = { tune: (all) => run(tuning, all), check: (all) => run(checking, all) };
  try {
    if (what === "settings") return await settingsFor(wish, parts);
    const { found, checked } = await searchedAndChecked(
      parts,
      { workload: split.tune, timeZone, budget },
      workers,
    );
    const [configured, changed = configured] = checked;
    return (
      configured &&
      changed &&
      schedulesText(found, { configured, changed }, { workload: split.check, timeZone })
    );
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    await Promise.all([tuning.close(), checking.close()]);
  }
}

/** Runs each part of the workload with these settings. */
interface Parts {
  readonly tune: TuneRuns;
  readonly check: TuneRuns;
}

/**
 * The search begins and ends with single runs: this thread checks the settings as configured during the first of them, and the best
 * so far during the last, in vain if that finds a better one.
 */
async function searchedAndChecked(
  { tune: run, check }: Parts,
  search: Omit<Parameters<typeof searchSchedules>[0], "run" | "onBest">,
  workers: number,
) {
  const checks = new Map<string, Promise<RunFigures | undefined>>();
  const checkOf = (varied: Task["varied"]) => {
    const key = JSON.stringify(varied);
    const known = checks.get(key) ?? check([varied]).then(([figures]) => figures);
    checks.set(key, known);
    return known;
  };
  const onBest = (varied: Task["varied"]) => {
    if (workers > 1) checkOf(varied).catch(() => undefined);
  };
  const [found, configured] = await Promise.all([searchSchedules({ ...search, run, onBest }), checkOf({})]);
  const changed = found.best && (await checkOf(found.best.varied));
  return { found, checked: [configured, changed] };
}

async function settingsFor(
  { setting, task, budget }: Wish,
  { tune, check }: Parts,
): Promise<readonly string[] | undefined> {
  const settings = await searchSettings({
    tunables: tunablesOf(setting, task),
    run: tune,
    budget,
    longestWait,
  });
  const isSame = Object.keys(settings.varied).length === 0;
  const [configured, changed = configured] = await check(isSame ? [{}] : [{}, settings.varied]);
  if (configured === undefined || changed === undefined) return undefined;
  return suggestionText(suggestionOf(settings, { configured, changed }, { seed: task.seed, longestWait }));
}

/** The settings that matter for cost and waits, the ones that matter most first. */
function tunablesOf({ cluster, definition }: Setting, { json }: Task): readonly Tunable[] {
  const parsed = parseFor(cluster, json);
  if (!parsed.ok) throw new TypeError(`Cannot use the configuration: ${parsed.problems.join("; ")}`);
  const { engine, cycle }: ClusterConfig = parsed.config;
  const arrays = definition.nodearrays.map(({ name }) => name);
  const { auto, ...timeouts } = engine.idleTimeoutSeconds;
  const isAuto = (name: string) => auto !== undefined && forNodeArray(auto, name) !== null;
  return [
    { key: "placement", values: placements, now: engine.placement.default },
    ...arrays.map((name) => ({
      key: `idle_timeout.${name}`,
      values: idleTimeouts,
      now: isAuto(name) ? "auto" : forNodeArray(timeouts, name),
    })),
    ...(cycle.spot === undefined
      ? []
      : [{ key: "spot.patience", values: patienceSeconds, now: cycle.spot.patienceSeconds }]),
  ];
}
