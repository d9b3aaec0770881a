/**
 * How fast the HTTP API answers for a large cluster, on the local environment (Functions host, Azurite): by default 10,000
 * nodes and 100,000 jobs. The snapshot, the demand and the node history are written to storage as the app would, and a
 * plan is made; CycleCloud has no part in it. Prints for each route its first answer after a change and the median of
 * five more. Run it with `npm run bench:api -- [--nodes 10000] [--jobs 100000]`, after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import type { ClusterNode, NodeHistory } from "../../shared/engine/index.ts";
import { ConfigurationError } from "../../shared/errors.ts";
import type { SourceDemand } from "../../shared/ports.ts";
import { connectStorage, createAzureStores } from "../../shared/stores/azure/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../support/cluster.ts";

const { values } = parseArgs({
  options: { nodes: { type: "string", default: "10000" }, jobs: { type: "string", default: "100000" } },
});
const nodeCount = Number(values.nodes);
const jobCount = Number(values.jobs);
const cluster = "small-cpu";
const repeats = 5;

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
  await fill();
  const nodes = Math.floor(nodeCount / 2);
  const paths = [
    "status",
    "nodes",
    `nodes?name=htc-${nodes}`,
    "jobs",
    "jobs?state=waiting",
    "jobs/huge/explain",
  ];
  paths.push(`jobs/job-${Math.floor(jobCount / 2)}/explain`, "buckets", "limits", "operations", "plans");
  console.log(`${nodeCount} nodes, ${jobCount} jobs; milliseconds`);
  console.log(`${"route".padEnd(28)} ${"first".padStart(8)} ${"median".padStart(8)}`);
  for (const path of paths) {
    const first = await timed(path);
    const more: number[] = [];
    for (let index = 0; index < repeats; index += 1) more.push(await timed(path));
    const median = more.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? 0;
    console.log(`${path.padEnd(28)} ${first.toFixed(0).padStart(8)} ${median.toFixed(0).padStart(8)}`);
  }
} finally {
  await environment.stop();
  await rm(folder, { recursive: true, force: true });
}

async function timed(path: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/${path}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body.slice(0, 300)}`);
  return performance.now() - start;
}

/** Half of the nodes run a job each, the rest is idle; of the jobs some fit, some wait. */
async function fill(): Promise<void> {
  const storage = connectStorage({ connectionString: environment.storageConnectionString });
  const parseConfig = () => Promise.reject(new ConfigurationError("it", ["not needed"]));
  const stores = createAzureStores({ blob: storage.blob, table: storage.table, parseConfig });
  const nowSeconds = Date.now() / 1000;
  const nodes: ClusterNode[] = Array.from({ length: nodeCount }, (_, index) =>
    nodeOf({ name: `htc-${index + 1}`, hostname: `ip-${index + 1}` }),
  );
  const bucket = bucketOf({ availableCount: 1_000 });
  const arrays = [nodeArrayOf({ maxCount: 2 * nodeCount, maxCoreCount: 8 * nodeCount, buckets: [bucket] })];
  const large = { name: cluster, maxCount: 2 * nodeCount, maxCoreCount: 8 * nodeCount };
  await stores.snapshots.save(cluster, {
    cluster: clusterOf({ ...large, nodeArrays: arrays, nodes }),
    takenAtSeconds: nowSeconds,
    setAside: [],
  });
  const jobs: SourceDemand["jobs"] = Array.from({ length: jobCount }, (_, index) => ({
    name: index === jobCount - 1 ? "huge" : `job-${index}`,
    constraints: [{ ncpus: index === jobCount - 1 ? 64 : 1 + (index % 4) }],
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: index < nodeCount / 2 ? [`ip-${index + 1}`] : [],
    priority: 0,
  }));
  await stores.demand.save(
    {
      cluster,
      source: "pbs",
      sequence: 1,
      receivedAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + 86_400,
      jobs,
      nodes: [],
      ignoredMessages: 0,
    },
    undefined,
  );
  const rows = nodes.map(
    ({ nodeId, name, hostname }, index): NodeHistory => ({
      nodeId,
      name,
      hostname,
      instanceId: null,
      createdSeconds: nowSeconds - 3_600,
      readySeconds: nowSeconds - 3_400,
      lastMatchSeconds: index < nodeCount / 2 ? null : nowSeconds - 60,
      deletedSeconds: null,
    }),
  );
  await stores.history.save(cluster, rows);
}
