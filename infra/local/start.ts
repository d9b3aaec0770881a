import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { compile } from "../package/compile.ts";
import { refuseReadOnly } from "../package/refuse-read-only.ts";
import { startEnvironment } from "./environment/environment.ts";
import { whenOrphaned } from "./environment/watch-parent.ts";
import { sampleWorkload } from "./scheduler/sample-workload.ts";
import { loadWorkload, type WorkloadJob } from "./scheduler/workload.ts";
import { type DemonstrateFlags, demonstrate, endOf } from "./start/demonstrate.ts";
import { readDefinition, refuseSecondRun } from "./start/preflight.ts";

const root = resolve(import.meta.dirname, "../..");
const clusters = resolve(import.meta.dirname, "cyclecloud/clusters");
const sampleSpeed = 40;
/** A trace of days is run in about this many minutes unless told otherwise. */
const traceMinutes = 3;

interface Flags extends DemonstrateFlags {
  readonly jobs?: string;
  readonly limit: number;
  readonly speedup?: number;
  readonly cluster?: string;
  readonly seed: number;
  readonly folder: string;
}

const command = new Command("npm start --")
  .description("Starts the whole autoscaler on this machine and runs a workload through it.")
  .option("--jobs <file>", "JSON job list (.json) or SWF trace (.swf, .swf.gz); default: a small sample")
  .option("--limit <number>", "at most so many jobs of the file", positive, 300)
  .option("--speedup <number>", "simulated seconds per real second", positive)
  .option("--cluster <file>", "cluster definition; default: small-cpu for the sample, hpc for files")
  .option("--seed <number>", "seed of boot times and failures", positive, 1)
  .option(
    "--timeout <seconds>",
    "give up after this long; default: what the workload needs with --demo, else never",
    positive,
  )
  .option("--demo", "exit when the workload is done: 0 when all went well, 1 with a reason when not")
  .option("--folder <folder>", "where logs and addresses go; emptied at the start", join(root, ".local"))
  .action(run);

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError(`"${text}", expected a number above 0.`);
}

async function run(flags: Flags): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stopping.abort());
  // npm passes signals on, but not the one that kills it.
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => stopping.abort());

  const folder = resolve(flags.folder);
  const environmentFile = join(folder, "environment.json");
  console.log(`Starting the local environment (logs in ${folder})`);
  await refuseSecondRun(environmentFile);
  const jobs = flags.jobs === undefined ? sampleWorkload : await loadWorkload(flags.jobs, flags.limit);
  const speed = flags.speedup ?? (flags.jobs === undefined ? sampleSpeed : speedFor(jobs));
  const clusterFile =
    flags.cluster ?? join(clusters, flags.jobs === undefined ? "small-cpu.json" : "hpc.json");
  const definition = await readDefinition(clusterFile);
  console.log(`  ${jobs.length} jobs, simulated time x${speed}, cluster "${definition.name}"`);
  await refuseReadOnly(folder);
  await rm(folder, { recursive: true, force: true });
  try {
    console.log("  compiling what has changed");
    await compile(root, signal);
    const environment = await startEnvironment({
      clusterFile,
      cluster: definition.name,
      config: localConfig(speed),
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
      console.log(`  status: ${environment.functionsUrl}/api/clusters/${definition.name}/status`);
      console.log(`  in the examples of docs: URL=${environment.functionsUrl}`);
      await demonstrate(flags, { environment, jobs, speed, definition, signal });
    } finally {
      // First: nobody is sent to what is about to end.
      await rm(environmentFile, { force: true });
      await environment.stop();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log("Stopped before it was done");
  }
}

/**
 * The autoscaler lives in real time while its world runs fast, so what is minutes for an operator is seconds here: the
 * usual time-outs divided by the speed, but never so short that a snapshot could miss them.
 */
function localConfig(speed: number): Readonly<Record<string, unknown>> {
  return {
    idle_timeout: Math.max(4, Math.round(300 / speed)),
    boot_timeout: Math.max(60, Math.round(1800 / speed)),
    demand_ttl: 60,
    max_snapshot_age: 30,
    operation_timeout: 60,
    target_attributes: ["Configuration.application_*"],
  };
}

function speedFor(jobs: readonly WorkloadJob[]): number {
  return Math.max(sampleSpeed, Math.ceil(endOf(jobs) / (traceMinutes * 60)));
}

command.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
