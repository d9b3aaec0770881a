import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { parseDuration } from "../../shared/text/durations.ts";
import { counted } from "../../shared/text/text.ts";
import { compile } from "../package/compile.ts";
import { writeDashboard } from "../package/dashboard.ts";
import { refuseReadOnly } from "../package/refuse-read-only.ts";
import { startEnvironment } from "./environment/environment.ts";
import { whenOrphaned } from "./environment/watch-parent.ts";
import { sampleWorkload } from "./scheduler/sample-workload.ts";
import { loadWorkload, type WorkloadJob } from "./scheduler/workload.ts";
import { type DemonstrateFlags, demonstrate, endOf } from "./start/demonstrate.ts";
import { localConfig, readConfig } from "./start/local-config.ts";
import { claimFolder, readDefinition, releaseFolder } from "./start/preflight.ts";
import { type Placement, parsePlacements, placementOf, placements, runsOf } from "./start/runs.ts";
import { swallowed } from "./start/swallowed.ts";

const root = resolve(import.meta.dirname, "../..");
const clusters = resolve(import.meta.dirname, "cyclecloud/clusters");
const sampleSpeed = 60;
/** A trace of days is run in about this many minutes unless told otherwise. */
const traceMinutes = 3;

interface Flags extends DemonstrateFlags {
  readonly jobs?: string;
  readonly limit: number;
  readonly speedup?: number;
  readonly cluster?: string;
  readonly config?: string;
  readonly example?: string;
  readonly placement?: readonly Placement[];
  readonly seed: number;
  readonly folder: string;
}

const command = new Command("npm start --")
  .description("Starts the whole autoscaler on this machine and runs a workload through it.")
  .option("--jobs <file>", "JSON job list (.json) or SWF trace (.swf, .swf.gz); default: a small sample")
  .option("--limit <number>", "at most so many jobs of the file", positive, 300)
  .option("--speedup <number>", "simulated seconds per real second", positive)
  .option("--cluster <file>", "cluster definition; default: small-cpu for the sample, hpc for files")
  .option("--config <file>", "keys of autoscale.json for the cluster; times are divided by the speed")
  .option("--example <name>", "jobs, cluster and configuration of this folder of examples/, such as spot")
  .option(
    "--placement <values>",
    `${placements.join(", ")}: with several, the same jobs run on as many clusters at once; default: all for the sample, else that of --config or reuse`,
    parsePlacements,
  )
  .option("--seed <number>", "seed of boot times and failures", positive, 1)
  .option(
    "--timeout <length>",
    "give up after this long, such as 10m; default: what the workload needs with --demo, else never",
    lengthOfTime,
  )
  .option("--demo", "exit when the workload is done: 0 when all went well, 1 with a reason when not")
  .option("--folder <folder>", "where logs and addresses go; emptied at the start", join(root, ".local"))
  .allowExcessArguments()
  .action(run);

/** Seconds. */
function lengthOfTime(text: string): number {
  const seconds = parseDuration(text, { isPlain: true });
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError(`"${text}", expected a length of time such as 90s or 10m.`);
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError(`"${text}", expected a number above 0.`);
}

async function run(flags: Flags): Promise<void> {
  const options = command.options.map((option) => option.name());
  const kept = swallowed({ env: process.env, options, args: command.args });
  if (kept !== undefined) throw new Error(kept);
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stopping.abort());
  // npm passes signals on, but not the one that kills it.
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => stopping.abort());

  const folder = resolve(flags.folder);
  const environmentFile = join(folder, "environment.json");
  console.log(`Starting the local environment (logs in ${folder})`);
  await refuseReadOnly(folder);
  const given = withExample(flags);
  const isSample = given.jobs === undefined;
  const jobs = given.jobs === undefined ? sampleWorkload : await loadWorkload(given.jobs, flags.limit);
  const speed = flags.speedup ?? (isSample || flags.example !== undefined ? sampleSpeed : speedFor(jobs));
  const clusterFile = given.cluster ?? join(clusters, isSample ? "small-cpu.json" : "hpc.json");
  const definition = await readDefinition(clusterFile);
  const own = given.config === undefined ? {} : await readConfig(given.config);
  const config = localConfig(speed, own);
  await claimFolder(folder);
  const runs = await runsOf({
    placements: flags.placement ?? (isSample ? placements : placementOf(own)),
    clusterFile,
    config,
    seed: flags.seed,
    folder,
  });
  const [first, ...beside] = runs;
  if (first === undefined) throw new Error("no placement to run");
  const named = runs.map(({ cluster, placement }) => `"${cluster}" (placement ${placement})`).join(", ");
  console.log(`  ${counted(jobs.length, "jobs")}, simulated time x${speed}, on ${named}`);
  try {
    console.log("  compiling what has changed");
    await Promise.all([compile(root, signal), writeDashboard(join(root, "dist/dashboard"))]);
    const environment = await startEnvironment({
      ...first,
      beside,
      speed,
      seed: flags.seed,
      folder,
      snapshotSchedule: "*/1 * * * * *",
      pricesSchedule: "*/5 * * * * *",
      onProgress: (part) => console.log(`  ${part} is up`),
      signal,
    });
    try {
      await writeFile(environmentFile, JSON.stringify({ ...environment, pid: process.pid }, null, 2));
      console.log(`  dashboard: ${environment.functionsUrl}/api/dashboard`);
      console.log(`  status: ${environment.functionsUrl}/api/clusters/${definition.name}/status`);
      console.log(`  in the examples of docs: URL=${environment.functionsUrl}`);
      await demonstrate(flags, { environment, runs, jobs, speed, definition, signal });
    } finally {
      // First, so that no caller is directed to a service that is about to end.
      await rm(environmentFile, { force: true });
      await environment.stop();
      if (signal.aborted) console.log("Stopped: no part of it runs any more");
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log("Stopped before it was done");
  } finally {
    await releaseFolder(folder);
  }
}

/** An example is a folder with jobs, a cluster and its configuration; what is named beside it counts first. */
function withExample({ example, jobs, cluster, config }: Flags): Pick<Flags, "jobs" | "cluster" | "config"> {
  const own = {
    ...(jobs === undefined ? {} : { jobs }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(config === undefined ? {} : { config }),
  };
  if (example === undefined) return own;
  const folder = join(root, "examples", example);
  if (!existsSync(join(folder, "cluster.json")))
    throw new Error(`--example: examples/${example} has no cluster.json, expected a folder such as "spot"`);
  const file = (name: string) => join(folder, name);
  return {
    jobs: file("jobs.json"),
    cluster: file("cluster.json"),
    config: file("autoscale.json"),
    ...own,
  };
}

function speedFor(jobs: readonly WorkloadJob[]): number {
  return Math.max(sampleSpeed, Math.ceil(endOf(jobs) / (traceMinutes * 60)));
}

command.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
