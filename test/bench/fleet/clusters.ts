import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Table from "cli-table3";
import { Command } from "commander";
import { type Fleet, startFleet } from "./fleet.ts";
import { clusterNamed, fleetConfig } from "./load.ts";

const slow = "slow";
const down = "down";
const nodesWanted = 4;
const longestSeconds = 180;

const command = new Command("clusters")
  .description(
    "One deployment with many clusters: how soon each gets its nodes, with and without troubled neighbours",
  )
  .option("--clusters <number>", "clusters, the two troubled ones included", Number, 50)
  .option("--healthy", "leave the slow cluster and the one that is down out")
  .option(
    "--jobs <number>",
    "instead: so many jobs of one cluster at random moments, and where their time goes",
    Number,
  )
  .action(async (flags: { clusters: number; healthy?: boolean; jobs?: number }) => {
    const folder = await mkdtemp(join(tmpdir(), "fleet-"));
    try {
      await (flags.jobs === undefined ? run(flags, folder) : oneByOne(flags.jobs, folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

async function run(
  { clusters, healthy }: { clusters: number; healthy?: boolean },
  folder: string,
): Promise<void> {
  const names = Array.from({ length: clusters - 2 }, (_, index) => `cluster-${index + 1}`);
  const troubled =
    healthy === true
      ? []
      : [
          { definitions: [clusterNamed(slow, 20)], latencyMilliseconds: 30_000 },
          { definitions: [clusterNamed(down, 20)], isDown: true },
        ];
  const fleet = await startFleet({
    servers: [{ definitions: names.map((name) => clusterNamed(name, 20)) }, ...troubled],
    speed: 60,
    snapshotSchedule: "*/5 * * * * *",
    config: fleetConfig,
    folder,
  });
  try {
    const asked = troubled.length === 0 ? names : [...names, slow, down];
    const seconds = await reactions(fleet, names, asked);
    const at = (share: number) => quantile(seconds, share).toFixed(1);
    const plans = fleet.lines.filter(({ event }) => event === "plan").length;
    const failed = fleet.invocations.filter(({ succeeded }) => !succeeded).length;
    const table = new Table({ style: { head: [], border: [], compact: true } });
    table.push(
      ["clusters that want nodes", asked.length],
      ["of these slow and down", asked.length - names.length],
      ["healthy clusters that got all nodes", `${seconds.length} of ${names.length}`],
      ["seconds from demand to nodes: median", at(0.5)],
      ["p95", at(0.95)],
      ["slowest", at(1)],
      ["plans", plans],
      ["runs of functions, of them failed", `${fleet.invocations.length}, ${failed}`],
    );
    process.stdout.write(`${table.toString()}\n`);
    if (seconds.length < names.length) process.exitCode = 1;
  } finally {
    await fleet.stop();
  }
}

/** Posts jobs that each need a node of their own, and prints when each came past which station. */
async function oneByOne(jobs: number, folder: string): Promise<void> {
  const cluster = "quiet";
  const fleet = await startFleet({
    servers: [{ definitions: [clusterNamed(cluster, jobs)] }],
    speed: 1,
    snapshotSchedule: "*/20 * * * * *",
    config: { ...fleetConfig, boot_timeout: 3_600 },
    folder,
  });
  try {
    await until(() => fleet.lines.some(({ event }) => event === "snapshot"));
    const ways: Way[] = [];
    for (let count = 1; count <= jobs; count += 1) {
      // As many phases as there are jobs, of whatever beats in seconds.
      await wait(2_000 + Math.random() * 2_000);
      ways.push(await wayOf(fleet, cluster, count));
    }
    const table = new Table({
      head: ["milliseconds", "median", "p95", "longest"],
      style: { head: [], border: [], compact: true },
    });
    const row = (name: string, values: readonly number[]) =>
      table.push([name, ...[0.5, 0.95, 1].map((share) => (1000 * quantile(values, share)).toFixed(0))]);
    for (const [name, before] of Object.entries(stations) as [keyof Way, keyof Way][])
      row(
        name,
        ways.map((way) => way[name] - way[before]),
      );
    row(
      "from the post to the call",
      ways.map((way) => way["the call"] - way.begun),
    );
    process.stdout.write(`${table.toString()}\n`);
  } finally {
    await fleet.stop();
  }
}

/** Each station, and the one before it. */
const stations = {
  posted: "begun",
  "taken off the queue": "posted",
  "merged, a plan asked for": "taken off the queue",
  "delivered to the planner": "merged, a plan asked for",
  "planned, its action delivered": "delivered to the planner",
  "the call": "planned, its action delivered",
} as const;

/** When a job came where (Unix seconds). */
type Way = Readonly<Record<keyof typeof stations | "begun", number>>;

async function wayOf(fleet: Fleet, cluster: string, count: number): Promise<Way> {
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: String(index),
    constraints: { ncpus: 4, exclusive: true },
  }));
  const begun = Date.now() / 1000;
  await fleet.post(cluster, jobs);
  const posted = Date.now() / 1000;
  await until(() => fleet.creates(cluster).length >= count);
  const call = fleet.creates(cluster)[count - 1] ?? Number.NaN;
  // A run is known when it is over. The latest that began before a moment is the one that led to it.
  const startBefore = (name: string, atSeconds: number) =>
    Math.max(
      ...fleet.invocations
        .filter(({ functionName }) => functionName === name)
        .map((run) => run.atSeconds - run.durationMs / 1000)
        .filter((startSeconds) => startSeconds > begun && startSeconds <= atSeconds),
    );
  for (const name of ["accept-demand", "plan-scale", "execute-action"])
    await until(() => Number.isFinite(startBefore(name, call)));
  const executed = startBefore("execute-action", call);
  const accepted = startBefore("accept-demand", call);
  const asked = fleet.lines.find(({ event, atSeconds }) => event === "demand" && atSeconds >= accepted);
  return {
    begun,
    posted,
    "taken off the queue": accepted,
    "merged, a plan asked for": asked?.atSeconds ?? Number.NaN,
    "delivered to the planner": startBefore("plan-scale", executed),
    "planned, its action delivered": executed,
    "the call": call,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  const ends = Date.now() + longestSeconds * 1000;
  while (!isSo()) {
    if (Date.now() > ends) throw new Error("Cannot measure: nothing happened for three minutes");
    await wait(5);
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

/** Posts one job per cluster at once; returns how long it took each healthy one to have the nodes. */
async function reactions(
  fleet: Fleet,
  names: readonly string[],
  asked: readonly string[],
): Promise<readonly number[]> {
  const job = { name: "1", constraints: { ncpus: 4, exclusive: true }, nodeCount: nodesWanted };
  const began = Date.now();
  await Promise.all(asked.map((name) => fleet.post(name, [job])));
  const took = new Map<string, number>();
  while (took.size < names.length && Date.now() - began < longestSeconds * 1000) {
    for (const name of names)
      if (!took.has(name) && fleet.nodes(name) >= nodesWanted) took.set(name, (Date.now() - began) / 1000);
    await wait(100);
  }
  return [...took.values()];
}

await command.parseAsync();
process.exit();
