/**
 * A month of a recorded workload in the accounts of a cluster, in a storage account (Azurite), and what `ccscale` shows of it:
 * who, what, when, how much was idle, and what the month will come to. The trace is moved so that it begins with this month.
 * Jobs start when they were submitted, on the first node with room; nodes boot for 4 minutes and are deleted after 5 idle ones.
 * Run it with `npx -c 'node test/bench/ledger-month.ts --trace FILE.swf.gz'`.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { startAzurite } from "../../infra/local/environment/azurite.ts";
import {
  accountFor,
  type Book,
  jobKey,
  monthStart,
  openBook,
  type SeenNode,
} from "../../shared/accounting/index.ts";
import { readSwf, type TraceJob } from "../../shared/backtest/index.ts";
import { readConfig } from "../../shared/config/index.ts";
import { snapshotCluster } from "../../shared/cycle/index.ts";
import { pricePerHourUsd } from "../../shared/facts/index.ts";
import { smallestLimits } from "../../shared/json/json-limits.ts";
import { connectStorage, createAzureStores } from "../../shared/stores/azure/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../support/cluster.ts";
import { FakeCycleCloud } from "../support/fake-cyclecloud.ts";
import { createWorld } from "../support/world.ts";

const { values } = parseArgs({
  options: { trace: { type: "string" }, step: { type: "string", default: "300" } },
});
const cluster = "metacentrum";
const stepSeconds = Number(values.step);
const [bootSeconds, idleSeconds, endSeconds] = [240, 300, 60];
/** Sizes with what they have, the smaller first. */
const arrays = [
  { name: "small", vmSize: "Standard_D32s_v5", cpus: 32, memoryGiB: 128 },
  { name: "large", vmSize: "Standard_E64s_v5", cpus: 64, memoryGiB: 512 },
] as const;

interface Running {
  readonly job: TraceJob;
  readonly untilSeconds: number;
}

interface Node {
  readonly nodeId: string;
  readonly array: (typeof arrays)[number];
  readonly readyAtSeconds: number;
  readonly jobs: Map<string, Running>;
  idleSinceSeconds: number;
  endsAtSeconds: number | undefined;
}

const nowSeconds = Math.floor(Date.now() / 1_000);
const startSeconds = monthStart(nowSeconds);
const azurite = await startAzurite({ logFile: join(tmpdir(), "ledger-month-azurite.log") });
try {
  await fill(await readTrace());
  for (const line of [
    "cost --by user",
    "cost --by array,user",
    "cost --by purpose",
    "cost --by day",
    "cost --by job",
    "status",
  ])
    await show(line);
} finally {
  await azurite.stop();
}

async function readTrace(): Promise<readonly TraceJob[]> {
  if (values.trace === undefined)
    throw new Error("--trace: missing, expected a file in the Standard Workload Format");
  const bytes = await readFile(values.trace);
  const { jobs } = readSwf((values.trace.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
  const first = jobs[0]?.submitSeconds ?? 0;
  return jobs
    .map((job) => ({ ...job, submitSeconds: job.submitSeconds - first + startSeconds + 600 }))
    .filter(({ submitSeconds, processors }) => submitSeconds < nowSeconds && processors <= 64);
}

async function fill(jobs: readonly TraceJob[]): Promise<void> {
  const storage = connectStorage({ connectionString: azurite.connectionString });
  const stores = createAzureStores({
    blob: storage.blob,
    table: storage.table,
    parseConfig: readConfig,
    jsonLimits: smallestLimits,
    log: { info: () => {}, warn: console.warn, error: console.error },
  });
  const config = { url: "https://cyclecloud.example", username: "autoscale" };
  const configs = storage.blob.getContainerClient("config");
  await configs.createIfNotExists();
  const text = JSON.stringify(config);
  await configs.getBlockBlobClient(`${cluster}.json`).upload(text, text.length);
  let nodes: Node[] = [];
  let [next, made] = [0, 0];
  let book: Book | undefined;
  const last = Math.floor(nowSeconds / stepSeconds) * stepSeconds;
  for (let at = startSeconds; at <= last - 60; at += stepSeconds) {
    for (const node of nodes) {
      for (const [name, { untilSeconds }] of node.jobs) if (untilSeconds <= at) node.jobs.delete(name);
      if (node.jobs.size > 0) node.idleSinceSeconds = at;
      else if (at - Math.max(node.idleSinceSeconds, node.readyAtSeconds) >= idleSeconds)
        node.endsAtSeconds ??= at + endSeconds;
    }
    nodes = nodes.filter(({ endsAtSeconds }) => endsAtSeconds === undefined || endsAtSeconds > at);
    for (let job = jobs[next]; job !== undefined && job.submitSeconds <= at; job = jobs[next]) {
      next += 1;
      const array = arrays.find((each) => fits(job, each.cpus, each.memoryGiB)) ?? arrays[1];
      const open = nodes.find((each) => each.endsAtSeconds === undefined && hasRoom(each, job));
      const node = open ?? {
        nodeId: `node-${made}`,
        array,
        readyAtSeconds: at + bootSeconds,
        jobs: new Map(),
        idleSinceSeconds: at,
        endsAtSeconds: undefined,
      };
      if (open === undefined) nodes.push(node);
      made += open === undefined ? 1 : 0;
      node.jobs.set(job.name, { job, untilSeconds: Math.max(at, node.readyAtSeconds) + job.runSeconds });
    }
    const sight = {
      takenAtSeconds: at,
      nodes: nodes.map((node) => seen(node, at)),
      jobs: seenJobs(nodes, at),
    };
    book = book === undefined ? openBook(sight) : accountFor(book, sight);
    const { closed } = book;
    if (closed.hours.length + closed.jobs.length > 0) await stores.accounts.keep(cluster, closed);
  }
  if (book === undefined) return;
  await stores.accounts.save(cluster, book, undefined);
  console.log(`${next} jobs, ${made} nodes from ${new Date(startSeconds * 1_000).toISOString()}`);
  await lastSnapshot(stores, nodes);
}

/** As the service takes it: the status is made from it. */
async function lastSnapshot(
  stores: ReturnType<typeof createAzureStores>,
  nodes: readonly Node[],
): Promise<void> {
  const fleet = clusterOf({
    name: cluster,
    nodeArrays: arrays.map(({ name, vmSize }) => nodeArrayOf({ name, buckets: [bucketOf({ vmSize })] })),
    nodes: nodes.map(({ nodeId, array: { name, vmSize } }) =>
      nodeOf({ nodeId, name: nodeId, hostname: nodeId, nodeArray: name, vmSize }),
    ),
  });
  const world = createWorld(new FakeCycleCloud(fleet));
  const clock = { nowSeconds: () => nowSeconds };
  const jobs = nodes.flatMap((node) =>
    [...node.jobs.values()].map(({ job }) => ({ job, host: node.nodeId })),
  );
  await stores.demand.save(
    {
      cluster,
      source: "pbs",
      sequence: 1,
      ignoredMessages: 0,
      nodes: [],
      receivedAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + 3_600,
      jobs: jobs.map(({ job, host }) => ({
        name: job.name,
        constraints: { ncpus: job.processors },
        iterations: 1,
        nodeCount: 0,
        priority: 0,
        colocated: false,
        exclusive: false,
        executingHostnames: [host],
        ...whoOf(job),
      })),
    },
    undefined,
  );
  await snapshotCluster({ ...world.ports, ...stores, clock }, cluster);
}

async function show(line: string): Promise<void> {
  const program = join(import.meta.dirname, "../../clients/cli/main.ts");
  const env = { ...process.env, AutoscaleStorage: azurite.connectionString, COLUMNS: "160" };
  const argv = [program, ...line.split(" "), "--storage", "--cluster", cluster];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env, maxBuffer: 1e8 });
  const lines = stdout.trimEnd().split("\n");
  console.log(`\n$ ccscale ${line}`);
  console.log(
    lines.length > 24 ? [...lines.slice(0, 10), "…", ...lines.slice(-2)].join("\n") : lines.join("\n"),
  );
}

function seen(node: Node, at: number): SeenNode {
  const { nodeId, array, readyAtSeconds, endsAtSeconds, jobs } = node;
  const { name: nodeArray, vmSize } = array;
  const usdPerHour = pricePerHourUsd({ vmSize, location: "westeurope", spot: false }) ?? null;
  const of = { nodeId, nodeArray, vmSize, spot: false, usdPerHour };
  if (endsAtSeconds !== undefined) return { ...of, use: "ending", jobs: [] };
  if (at < readyAtSeconds) return { ...of, use: "boot", jobs: [] };
  if (jobs.size === 0) return { ...of, use: "idle", jobs: [] };
  const shares = [...jobs.values()].map(({ job }) => ({
    key: jobKey("pbs", job.name),
    share: shareOf(job, array),
  }));
  return { ...of, use: "jobs", jobs: shares };
}

function seenJobs(nodes: readonly Node[], at: number) {
  return nodes
    .filter(({ readyAtSeconds }) => at >= readyAtSeconds)
    .flatMap(({ jobs }) => [...jobs.values()])
    .map(({ job }) => {
      const { user = null, account = null, queue = null } = whoOf(job);
      return { key: jobKey("pbs", job.name), source: "pbs", name: job.name, user, account, queue };
    });
}

function whoOf({ user, account, queue }: TraceJob) {
  return { ...(user && { user }), ...(account && { account }), ...(queue && { queue }) };
}

function shareOf(job: TraceJob, { cpus, memoryGiB }: Node["array"]): number {
  return Math.min(1, Math.max(job.processors / cpus, (job.memoryGiB ?? 0) / memoryGiB));
}

function fits({ processors, memoryGiB = 0 }: TraceJob, cpus: number, memory: number): boolean {
  return processors <= cpus && memoryGiB <= memory;
}

function hasRoom({ array, jobs }: Node, job: TraceJob): boolean {
  let [cpus, memoryGiB] = [array.cpus as number, array.memoryGiB as number];
  for (const each of jobs.values()) {
    cpus -= each.job.processors;
    memoryGiB -= each.job.memoryGiB ?? 0;
  }
  return fits(job, cpus, memoryGiB);
}
