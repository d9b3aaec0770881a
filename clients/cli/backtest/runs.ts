import { availableParallelism } from "node:os";
import {
  definitionOf,
  onWholeNodes,
  TimeZone,
  tooMuch,
  withTasksApart,
} from "../../../shared/backtest/index.ts";
import { resolveIncludes } from "../../../shared/config/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { type DefinitionInput, parseDefinition } from "../../../shared/simulated-cyclecloud/index.ts";
import { printable } from "../../../shared/text/text.ts";
import { openArchive } from "../archive/open.ts";
import { loadInclude, readConfig, unusable } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { readJson } from "../read-text.ts";
import { type Progress, progressOn, type Terminal } from "../terminal.ts";
import { type Past, readPast } from "./from-archive.ts";
import { parseFor, type Setting, type Task } from "./one-run.ts";
import { printRuns } from "./print-runs.ts";
import { barOf } from "./progress-bar.ts";
import { type WithBoots, withRecordedBoots } from "./recorded-boots.ts";
import type { RunFlags } from "./run-flags.ts";
import { runTasks } from "./run-tasks.ts";
import { reportWarnings, tasksOf } from "./tasks.ts";
import { readWorkload } from "./workload-file.ts";

export async function runs(terminal: Terminal, flags: RunFlags): Promise<void> {
  const { definition, json, workload: read, boots } = await given(terminal, flags);
  const { timeZone = new TimeZone("UTC") } = flags;
  const problem = tooMuch(read.jobs);
  if (problem !== undefined)
    throw new CommandFailure(
      `Cannot run "${printable(read.name)}": ${problem.why}`,
      printable(problem.advice),
    );
  const apart = { ...read, jobs: withTasksApart(read.jobs) };
  const workload = flags.wholeNodes === true ? onWholeNodes(apart) : apart;
  const all = tasksOf(json, definition, flags);
  const isSearchAlone = searchesAlone(flags);
  const tasks = isSearchAlone ? [] : all;
  const setting: Setting = {
    workload,
    cluster: definition.name,
    definition,
    scheduler: flags.scheduler,
    ...(boots === undefined ? {} : { boots }),
  };
  for (const sentence of boots ?? []) terminal.stderr.write(`${printable(sentence)}\n`);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop);
  const progress = await progressOn(terminal);
  const bar = barOf(tasks.length, Date.now());
  const workers = flags.workers ?? availableParallelism();
  const finished = await runTasks(setting, tasks, {
    workers,
    signal: stopping.signal,
    onProgress: (share) => progress.report(bar(share, Date.now())),
  });
  const isWhole = finished.length === tasks.length;
  const suggestion =
    flags.suggest !== undefined && isWhole
      ? await suggested(
          setting,
          { json, varied: {}, seed: flags.seed },
          { flags, timeZone, progress, stopping, workers },
        )
      : undefined;
  progress.end();
  process.removeListener("SIGINT", stop);
  if (!isSearchAlone && (finished.length > 0 || tasks.length === 0))
    printRuns(terminal, finished, { ...flags, workload, timeZone });
  if (flags.suggest !== undefined && isWhole && suggestion === undefined)
    terminal.stderr.write("Stopped: no suggestion, the search was not finished.\n");
  const out = isSearchAlone ? terminal.stdout : terminal.stderr;
  for (const sentence of suggestion ?? []) out.write(`${printable(sentence)}\n`);
  if (flags.report !== undefined) {
    const { writeReport } = await import("./write-report.ts");
    await writeReport(terminal, flags.report, {
      setting,
      tasks,
      runs: finished,
      name: workload.name,
      suggestion,
    });
  }
  if (finished.length < tasks.length)
    throw new CommandFailure(
      `Stopped: ${finished.length} of ${tasks.length} runs were finished`,
      finished.length === 0 ? "Nothing is printed." : "What was finished is printed.",
    );
}

/** Whether the search is all that is asked for: then nothing runs on the whole workload. */
function searchesAlone({ suggest, vary, report, print, format }: RunFlags): boolean {
  const others = [vary, report, print].filter((each) => each !== undefined);
  return suggest !== undefined && others.length === 0 && format === "table";
}

type Given = Pick<Past, "workload" | "definition" | "json"> & Partial<Pick<WithBoots, "boots">>;

/** What is run: of files, or of the service's archive, of which a file may replace the configuration or the cluster. */
async function given(terminal: Terminal, flags: RunFlags): Promise<Given> {
  const { fromArchive, cluster, snapshot, config } = flags;
  const isOwn = cluster === undefined && snapshot === undefined;
  if (fromArchive === undefined) {
    const given = await clusterFor(flags);
    const { name } = given.definition;
    const json = await withPart(flags, (await readConfig(config, name)).json);
    // A value that cannot be used is refused before a long trace is read.
    tasksOf(json, given.definition, flags);
    reportWarnings(terminal, json, given.definition);
    return { ...withBoots(given, json), json, workload: await readWorkload(terminal, flags) };
  }
  const past = await readPast(terminal, { ...flags, fromArchive });
  const given = isOwn ? past : await clusterFor(flags);
  const { name } = given.definition;
  const own = config === "" ? past : await readConfig(config, name);
  const json = await withPart(flags, own.json);
  reportWarnings(terminal, json, given.definition);
  return { ...withBoots(given, json), json, workload: past.workload };
}

/** The configuration with the part that is to be tried merged over it, as if it included that. */
async function withPart({ with: part }: RunFlags, json: unknown): Promise<unknown> {
  if (part === undefined) return json;
  const including = { ...(isDictionary(json) ? json : {}), include: [part] };
  const merged = await resolveIncludes({ path: "", json: including, loadInclude });
  if (!merged.ok) throw unusable(part, merged.problems);
  return merged.json;
}

type ClusterGiven = Pick<Past, "definition"> & Partial<Pick<Past, "nodes">>;

/** A recorded cluster boots as its nodes did; a definition contains its boot times. */
function withBoots({ definition, nodes }: ClusterGiven, json: unknown): Pick<Given, "definition" | "boots"> {
  const parsed = parseFor(definition.name, json);
  return nodes === undefined || !parsed.ok
    ? { definition }
    : withRecordedBoots(definition, nodes, parsed.config);
}

async function suggested(
  setting: Setting,
  task: Task,
  of: {
    readonly flags: RunFlags;
    readonly timeZone: TimeZone;
    readonly progress: Progress;
    readonly stopping: AbortController;
    readonly workers: number;
  },
): Promise<readonly string[] | undefined> {
  const { suggest } = await import("./suggest.ts");
  const { suggestRuns: budget, suggest: what = "settings" } = of.flags;
  const bar = barOf(budget + 2, Date.now());
  return suggest({
    setting,
    task,
    what,
    timeZone: of.timeZone,
    budget,
    workers: of.workers,
    signal: of.stopping.signal,
    onProgress: (share) => of.progress.report(bar(share, Date.now())),
  });
}

async function clusterFor({ cluster, snapshot }: RunFlags): Promise<ClusterGiven> {
  const file = cluster ?? snapshot;
  if (file === undefined || (cluster !== undefined && snapshot !== undefined))
    throw new CommandFailure(
      `Cannot run a back-test: ${file === undefined ? "no cluster is given" : "two clusters are given, expected one"}`,
      'Give "--cluster definition.json" or "--snapshot archive.zip".',
    );
  try {
    const given = cluster === undefined ? await fromSnapshot(file) : { definition: await readJson(cluster) };
    const { definition } = given;
    if (!isDictionary(definition)) throw new TypeError("expected the definition of a cluster");
    parseDefinition(definition);
    return { ...given, definition: definition as DefinitionInput };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`Cannot use "${printable(file)}": ${reasonIn(error)}`, "Check the file.");
  }
}

/** The message without the prefix of the definition reader, which the caller words itself. */
function reasonIn(error: unknown): string {
  return messageOf(error).replace(/^Cannot read cluster definition: /, "");
}

async function fromSnapshot(file: string): Promise<Pick<Past, "definition" | "nodes">> {
  const { stores, cluster, atSeconds } = await openArchive([file], undefined);
  const snapshot = await stores.snapshots.load(cluster);
  if (snapshot === undefined) throw new TypeError("it has no snapshot");
  const history = await stores.history.list(cluster);
  return { definition: definitionOf(snapshot.value.cluster), nodes: { history, atSeconds } };
}
