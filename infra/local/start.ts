import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import logUpdate from "log-update";
import { z } from "zod";
import { isProcessAlive } from "../../shared/process-alive.ts";
import { runDemo } from "./demo/demo.ts";
import { summaryTable } from "./demo/summary.ts";
import { render, renderLine, type Scene } from "./demo/view.ts";
import { type Environment, startEnvironment } from "./environment/environment.ts";
import { sampleWorkload } from "./scheduler/sample-workload.ts";
import { loadWorkload, type WorkloadJob } from "./scheduler/workload.ts";

const clusters = resolve(import.meta.dirname, "cyclecloud/clusters");
const folder = resolve(import.meta.dirname, "../../.local");
const environmentFile = join(folder, "environment.json");
const sampleSpeed = 40;
/** A trace of days is run in about this many minutes unless told otherwise. */
const traceMinutes = 3;
const lineEverySeconds = 3;

interface Flags {
  readonly jobs?: string;
  readonly limit: number;
  readonly speedup?: number;
  readonly cluster?: string;
  readonly seed: number;
  readonly timeout?: number;
  readonly demo?: boolean;
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
  .action(run);

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError(`"${text}", expected a number above 0.`);
}

async function run(flags: Flags): Promise<void> {
  const jobs = flags.jobs === undefined ? sampleWorkload : await loadWorkload(flags.jobs, flags.limit);
  await refuseSecondRun();
  const speed = flags.speedup ?? (flags.jobs === undefined ? sampleSpeed : speedFor(jobs));
  const clusterFile =
    flags.cluster ?? join(clusters, flags.jobs === undefined ? "small-cpu.json" : "hpc.json");
  const definition = await readDefinition(clusterFile);
  await rm(folder, { recursive: true, force: true });
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());

  console.log(`Starting the local environment (logs in ${folder})`);
  console.log(`  ${jobs.length} jobs, simulated time x${speed}, cluster "${definition.name}"`);
  const environment = await startEnvironment({
    clusterFile,
    cluster: definition.name,
    config: localConfig(speed),
    speed,
    seed: flags.seed,
    folder,
    snapshotSchedule: "*/1 * * * * *",
    onProgress: (part) => console.log(`  ${part} is up`),
  });
  try {
    await writeFile(environmentFile, JSON.stringify({ ...environment, pid: process.pid }, null, 2));
    console.log(`  status: ${environment.functionsUrl}/api/clusters/${definition.name}/status`);
    console.log(`  in the examples of README.md: URL=${environment.functionsUrl}`);
    await demonstrate(flags, { environment, jobs, speed, definition, signal: stopping.signal });
  } finally {
    // First: nobody is sent to what is about to end.
    await rm(environmentFile, { force: true });
    await environment.stop();
  }
}

interface Stage {
  readonly environment: Environment;
  readonly jobs: readonly WorkloadJob[];
  readonly speed: number;
  readonly definition: z.infer<typeof definitionSchema>;
  readonly signal: AbortSignal;
}

async function demonstrate(flags: Flags, stage: Stage): Promise<void> {
  const show = presenter();
  const { summary, faults } = await runDemo({
    ...stage,
    timeoutSeconds: flags.timeout ?? (flags.demo === true ? patience(stage) : Number.POSITIVE_INFINITY),
    mayLoseNodes: stage.definition.nodearrays.some((array) => array.interruptible),
    onFrame: show.frame,
  });
  show.done();
  if (stage.signal.aborted) console.log("Stopped before the workload was done");
  console.log(summaryTable(summary));
  if (stage.signal.aborted) return;
  for (const fault of faults) console.error(`Failed: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  if (flags.demo === true) return;
  console.log(`Still serving at ${stage.environment.functionsUrl}, Ctrl-C to stop`);
  console.log("Look at it from another terminal: npm run -s ccscale -- status --local");
  await aborted(stage.signal);
}

/** Real seconds that a workload may take: half as long again as it would on endless nodes, and time to come and go. */
function patience({ jobs, speed }: Stage): number {
  return Math.max(85, 60 + (1.5 * endOf(jobs)) / speed);
}

/** Simulated seconds from the start to the end of the last job, if none had to wait. */
function endOf(jobs: readonly WorkloadJob[]): number {
  return jobs.reduce((latest, job) => Math.max(latest, job.submitSeconds + job.runSeconds), 0);
}

/** Two environments in one folder would write over each other's logs and addresses. */
async function refuseSecondRun(): Promise<void> {
  const text = await readFile(environmentFile, "utf8").catch(() => "{}");
  const { pid } = z.object({ pid: z.int().optional() }).parse(JSON.parse(text));
  if (pid !== undefined && isProcessAlive(pid)) {
    throw new Error(
      `Cannot start the local environment: process ${pid} runs one in this folder already, expected none.\n` +
        `Ctrl-C in its terminal stops it, and so does "kill ${pid}"`,
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

/** A live screen on a terminal, a line now and then elsewhere. */
function presenter(): { frame: (scene: Scene) => void; done: () => void } {
  if (process.stdout.isTTY) {
    return { frame: (scene) => logUpdate(render(scene)), done: () => logUpdate.done() };
  }
  let lastSeconds = Number.NEGATIVE_INFINITY;
  return {
    frame: (scene) => {
      if (scene.elapsedSeconds - lastSeconds < lineEverySeconds) return;
      lastSeconds = scene.elapsedSeconds;
      console.log(renderLine(scene));
    },
    done: () => {},
  };
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

const definitionSchema = z.object({
  name: z.string(),
  nodearrays: z.array(z.object({ interruptible: z.boolean().default(false) })),
});

async function readDefinition(file: string): Promise<z.infer<typeof definitionSchema>> {
  try {
    return definitionSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Error(`Cannot read the cluster definition "${file}": ${why}`);
  }
}

command.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
