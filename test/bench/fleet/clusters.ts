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
  .action(run);

async function run({ clusters, healthy }: { clusters: number; healthy?: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
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
    const sorted = seconds.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
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
    await rm(folder, { recursive: true, force: true });
  }
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
