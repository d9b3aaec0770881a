import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Table from "cli-table3";
import { Command, InvalidArgumentError } from "commander";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import { type FaultReport, runThrough } from "./run.ts";
import { killHost, restartServiceBus, type Trouble, unavailable } from "./troubles.ts";
import { waves } from "./workload.ts";

const speed = 60;
const cluster = "small-cpu";

interface Case {
  readonly name: string;
  readonly trouble: Trouble;
  readonly jobs: ReturnType<typeof waves>;
}

/** A wave every 25 (15) real seconds, and jobs of 200 (90): longer than all waves take to come. */
const long = { count: 4, jobsPerWave: 6, gapSeconds: 25 * speed, runSeconds: 200 * speed };
const short = { count: 3, jobsPerWave: 6, gapSeconds: 15 * speed, runSeconds: 90 * speed };

const cases: readonly Case[] = [
  { name: "host killed 20 times", trouble: killHost(20, [0.5, 6]), jobs: waves(long) },
  // Just when the second wave is on its way.
  { name: "Service Bus emulator killed", trouble: restartServiceBus(16), jobs: waves(short) },
  { name: "CycleCloud answers 503 for a minute", trouble: unavailable(10, 60), jobs: waves(short) },
];

const program = new Command("faults")
  .description(
    "Runs workloads through the real local stack while parts of it fail; exits with 1 on a broken promise.",
  )
  .option("--seed <n>", "when the host is killed", wholeNumber, 1)
  .action(main);

await program.parseAsync();

async function main({ seed }: { readonly seed: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "faults-"));
  console.log(`Seed ${seed}, simulated time x${speed}, logs in ${folder}`);
  const environment = await startEnvironment({
    clusterFile: resolve(import.meta.dirname, "../../infra/local/cyclecloud/clusters/small-cpu.json"),
    cluster,
    config: { idle_timeout: 5, boot_timeout: 60, demand_ttl: 300, operation_timeout: 60 },
    speed,
    seed,
    folder,
    snapshotSchedule: "*/1 * * * * *",
  });
  let broken = 0;
  try {
    const table = new Table({
      head: ["trouble", "jobs done", "nodes created", "jobs that lost their node", "took", "broken promises"],
      style: { head: [], border: [] },
    });
    for (const each of cases) {
      const report = await runThrough({ environment, speed, seed, timeoutSeconds: 600, ...each });
      broken += report.faults.length;
      console.log(`${each.name}: ${report.strikes.join(", ")}`);
      for (const fault of report.faults) console.error(`Failed: ${fault}`);
      table.push(rowOf(each, report));
    }
    console.log(table.toString());
  } finally {
    await environment.stop();
  }
  if (broken === 0) await rm(folder, { recursive: true, force: true });
  else process.exitCode = 1;
}

function rowOf({ name, jobs }: Case, { summary, faults }: FaultReport): string[] {
  const { done, nodesCreated, requeued, realSeconds } = summary;
  const nodes = `${nodesCreated} of ${jobs.length}`;
  return [
    name,
    `${done} of ${jobs.length}`,
    nodes,
    `${requeued}`,
    `${realSeconds.toFixed(0)} s`,
    `${faults.length}`,
  ];
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError(`"${text}", expected a whole number, 0 or more.`);
}
