/**
 * How fast the service answers for a large cluster, on the local environment (Functions host, Azurite): by default 10,000
 * nodes and 100,000 jobs. Snapshot, demand, node history and plans are written to storage as the app would; CycleCloud has
 * no part in it. Prints medians: of each route when nothing changed, and its first answer after a message, a snapshot and
 * a plan, and in a process that knows nothing yet; then the wall time of whole `ccscale` processes, run from the build. Run it with
 * `npm run bench -- api [--nodes 10000] [--jobs 100000] [--repeats 5]`, after `npm run build`.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import { fillLargeCluster } from "./large-cluster.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000" },
    jobs: { type: "string", default: "100000" },
    repeats: { type: "string", default: "5" },
  },
});
const nodeCount = Number(values.nodes);
const jobCount = Number(values.jobs);
const repeats = Number(values.repeats);
const cluster = "small-cpu";
const program = join(import.meta.dirname, "../../dist/ccscale/main.js");
const middleJob = `job-${Math.floor(jobCount / 2)}`;
const paths = [
  "status",
  "nodes",
  `nodes?name=htc-${Math.floor(nodeCount / 2)}`,
  "jobs",
  "jobs?state=waiting",
  "jobs/huge/explain",
  `jobs/${middleJob}/explain`,
  "buckets",
  "limits",
  "demand",
  "operations",
  "plans",
];
/** In a process of their own each, so these are few. */
const coldPaths = ["status", "nodes", "jobs/huge/explain"];
const commands = [
  ["status"],
  ["nodes"],
  ["nodes", "--format", "csv"],
  ["explain", "huge"],
  ["explain", middleJob],
];

const folder = await mkdtemp(join(tmpdir(), "autoscale-bench-"));
const environment = await startEnvironment({
  clusterFile: join(import.meta.dirname, "../../infra/local/cyclecloud/clusters/small-cpu.json"),
  cluster,
  config: { idle_timeout: 300, max_snapshot_age: 86_400 },
  speed: 1,
  seed: 1,
  folder,
  // Never: the snapshot is ours.
  snapshotSchedule: "0 0 0 1 1 *",
});
try {
  const changes = await fillLargeCluster(environment.storageConnectionString, {
    cluster,
    nodeCount,
    jobCount,
  });
  // Rows that have just been written are read by each look for a while; those of a cluster at work are older.
  await setTimeout(15_000);
  console.log(`${nodeCount} nodes, ${jobCount} jobs; milliseconds, medians of ${repeats}`);
  printRow("route", ["nothing", ...Object.keys(changes)]);
  for (const path of paths) {
    await timed(path);
    const medians = [await medianOf(() => timed(path))];
    for (const change of Object.values(changes)) medians.push(await medianOf(() => timed(path), change));
    printRow(path, medians);
  }
  printRow("\nroute", ["new process"]);
  for (const path of coldPaths) printRow(path, [await medianOf(() => timed(path), restart)]);
  printRow("\nprocess", ["nothing", "message"]);
  for (const argv of commands) {
    const medians = [await medianOf(() => ran(argv)), await medianOf(() => ran(argv), changes.message)];
    printRow(`ccscale ${argv.join(" ")}`, medians);
  }
} finally {
  await environment.stop();
  await rm(folder, { recursive: true, force: true });
}

function printRow(head: string, cells: readonly (string | number)[]): void {
  const shown = cells.map((cell) => (typeof cell === "number" ? cell.toFixed(0) : cell).padStart(12));
  console.log(`${head.padEnd(28)}${shown.join("")}`);
}

async function medianOf(measure: () => Promise<number>, before?: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let index = 0; index < repeats; index += 1) {
    await before?.();
    all.push(await measure());
  }
  return all.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? Number.NaN;
}

async function timed(path: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/${path}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body.slice(0, 300)}`);
  return performance.now() - start;
}

/** The wall time of a whole process. */
async function ran(argv: readonly string[]): Promise<number> {
  const start = performance.now();
  const where = ["--url", environment.functionsUrl, "--cluster", cluster];
  const child = spawn(process.execPath, [program, ...argv, ...where], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.resume();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`ccscale ${argv.join(" ")} ended with ${code}`);
  return performance.now() - start;
}

async function restart(): Promise<void> {
  await environment.stopHost("stop");
  await environment.startHost();
}
