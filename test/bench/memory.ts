/**
 * How much memory looks at large clusters take, by default of 10,000 nodes and 100,000 jobs each: what a process keeps of
 * every cluster that was looked at, read as from storage, and its peak. Node.js alone takes some 50 MB, the Functions host
 * comes on top. Run it with `npm run bench -- memory [--nodes 10000] [--jobs 100000] [--clusters 4]`.
 */

import { parseArgs } from "node:util";
import type { NodeHistory } from "../../shared/engine/index.ts";
import type { Ports, Snapshot, SourceDemand } from "../../shared/ports/index.ts";
import { packDemand, unpackDemand } from "../../shared/stores/azure/packed-demand.ts";
import { createMemoryStores } from "../../shared/stores/in-memory/index.ts";
import { OutlookMemory } from "../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../support/cluster.ts";
import { snapshotOf as snapshotWith } from "../support/snapshot.ts";
import { configOf } from "../support/world.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000" },
    jobs: { type: "string", default: "100000" },
    clusters: { type: "string", default: "4" },
  },
});
const nodeCount = Number(values.nodes);
const jobCount = Number(values.jobs);
const nowSeconds = 1_800_000_000;

const stores = createMemoryStores();
const outlooks = new OutlookMemory();
const before = heapMb();
console.log(`${nodeCount} nodes, ${jobCount} jobs; MB of heap after a look at each`);
for (let index = 1; index <= Number(values.clusters); index += 1) {
  const cluster = `hpc-${index}`;
  stores.configs.put({ ...configOf({}), cluster });
  const [snapshot, demand, history] = [snapshotOf(cluster), demandOf(cluster), historyRows()];
  // A look asks these stores for nothing else.
  const ports = {
    ...stores,
    clock: { nowSeconds: () => nowSeconds },
    snapshots: { load: async () => ({ value: snapshot, etag: "1" }) },
    demand: { list: async () => [demand] },
    history: {
      since: async () => ({ rows: history, mark: undefined }),
      kept: async () => undefined,
      keep: async () => {},
    },
    log: { warn: console.warn },
  } as unknown as Ports;
  await outlooks.lookAhead(ports, cluster);
  console.log(`${cluster.padEnd(8)}${(heapMb() - before).toFixed(0).padStart(6)}`);
}
console.log(`${"peak".padEnd(8)}${(process.resourceUsage().maxRSS / 1024).toFixed(0).padStart(6)} resident`);

function heapMb(): number {
  for (const _ of [1, 2]) globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** As a store reads it: strings of its own, and nothing shared with the next cluster. */
function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

function snapshotOf(cluster: string): Snapshot {
  const nodes = Array.from({ length: nodeCount }, (_, index) =>
    nodeOf({ name: `htc-${index + 1}`, hostname: `ip-${index + 1}` }),
  );
  const most = { maxCount: 2 * nodeCount, maxCoreCount: 8 * nodeCount };
  const nodeArrays = [nodeArrayOf({ ...most, buckets: [bucketOf({ availableCount: 1_000 })] })];
  const reported = clusterOf({ name: cluster, ...most, nodeArrays, nodes });
  return stored(snapshotWith(reported, nowSeconds));
}

/** Half of the nodes run a job each, the rest is idle; of the jobs some fit, some wait. */
function demandOf(cluster: string): SourceDemand {
  const jobs: SourceDemand["jobs"] = Array.from({ length: jobCount }, (_, index) => ({
    name: `job-${index}`,
    constraints: [{ ncpus: 1 + (index % 4) }],
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: index < nodeCount / 2 ? [`ip-${index + 1}`] : [],
    priority: 0,
    submittedAt: new Date((nowSeconds - jobCount + index) * 1000).toISOString(),
  }));
  const posted = { sequence: 1, receivedAtSeconds: nowSeconds, expiresAtSeconds: nowSeconds + 86_400 };
  return unpackDemand(
    stored(packDemand({ cluster, source: "pbs", ...posted, jobs, nodes: [], ignoredMessages: 0 })),
  );
}

function historyRows(): readonly NodeHistory[] {
  return Array.from({ length: nodeCount }, (_, index) => ({
    nodeId: `id-htc-${index + 1}`,
    name: `htc-${index + 1}`,
    hostname: `ip-${index + 1}`,
    instanceId: null,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    createdSeconds: nowSeconds - 3_600,
    readySeconds: nowSeconds - 3_400,
    lastMatchSeconds: nowSeconds - 60,
    deletedSeconds: null,
  }));
}
