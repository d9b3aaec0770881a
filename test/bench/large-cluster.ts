import type { ClusterNode, NodeHistory } from "../../shared/engine/index.ts";
import { ConfigurationError } from "../../shared/errors/errors.ts";
import type { PlanHead, SourceDemand } from "../../shared/ports/index.ts";
import { connectStorage, createAzureStores } from "../../shared/stores/azure/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../support/cluster.ts";
import { snapshotOf } from "../support/snapshot.ts";

/** What may change of a cluster, and a deed that changes it in storage as the app would. */
export type Changes = Readonly<Record<"message" | "snapshot" | "plan", () => Promise<void>>>;

/** Of each such group of nodes, another one boots in each snapshot. */
const bootGroup = 100;
/** So many jobs end, and as many begin, between two messages. */
const turnover = 100;
const dayMinutes = 24 * 60;

/**
 * Writes a large cluster to the storage of a local environment, as snapshots, messages and plans would leave it: half of the
 * nodes run a job each, the rest is idle or boots; of the jobs some fit, some wait, and the last, `huge`, fits nowhere. Each
 * change is small: one node of a hundred boots in another snapshot, and a hundred jobs end between two messages.
 */
export async function fillLargeCluster(
  connectionString: string,
  {
    cluster,
    nodeCount,
    jobCount,
  }: { readonly cluster: string; readonly nodeCount: number; readonly jobCount: number },
): Promise<Changes> {
  const storage = connectStorage({ connectionString });
  const parseConfig = () => Promise.reject(new ConfigurationError("it", ["not needed"]));
  const stores = createAzureStores({ blob: storage.blob, table: storage.table, parseConfig });
  const nowSeconds = Date.now() / 1000;
  const bucket = bucketOf({ availableCount: 1_000, pricePerHourUsd: 0.19 });
  const arrays = [nodeArrayOf({ maxCount: 2 * nodeCount, maxCoreCount: 8 * nodeCount, buckets: [bucket] })];
  const large = { name: cluster, maxCount: 2 * nodeCount, maxCoreCount: 8 * nodeCount };
  const hostnameOf = (index: number) => `ip-${index + 1}`;
  const nodesAt = (turn: number): ClusterNode[] =>
    Array.from({ length: nodeCount }, (_, index) =>
      nodeOf({
        name: `htc-${index + 1}`,
        hostname: hostnameOf(index),
        status: (index + turn) % bootGroup === 0 ? "Preparing" : "Ready",
      }),
    );
  const nodes = nodesAt(0);
  let writes = 0;
  const newSnapshot = () => {
    const turn = writes++;
    return stores.snapshots.save(
      cluster,
      snapshotOf(clusterOf({ ...large, nodeArrays: arrays, nodes: nodesAt(turn) }), nowSeconds + turn / 1000),
    );
  };
  const jobAt = (number: number, isRunning: boolean): SourceDemand["jobs"][number] => ({
    name: `job-${number}`,
    constraints: [{ ncpus: 1 + (number % 4) }],
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: isRunning ? [hostnameOf(number % Math.ceil(nodeCount / 2))] : [],
    priority: 0,
    submittedAt: new Date(Math.floor(nowSeconds - jobCount + number) * 1000).toISOString(),
  });
  const newDemand = async () => {
    const sequence = writes++;
    const over = sequence * turnover;
    const jobs = Array.from({ length: jobCount - 1 }, (_, index) =>
      jobAt(over + index, index < nodeCount / 2),
    );
    jobs.push({ ...jobAt(over + jobCount, false), name: "huge", constraints: [{ ncpus: 64 }] });
    const demand: SourceDemand = {
      cluster,
      source: "pbs",
      sequence,
      receivedAtSeconds: Date.now() / 1000,
      expiresAtSeconds: nowSeconds + 86_400,
      jobs,
      nodes: [],
      ignoredMessages: 0,
    };
    await stores.demand.save(demand, (await stores.demand.load(cluster, "pbs"))?.etag);
  };
  const history = (lastMatchSeconds: number) =>
    nodes.map(
      ({ nodeId, name, hostname, nodeArray, vmSize }, index): NodeHistory => ({
        nodeId,
        name,
        hostname,
        instanceId: null,
        nodeArray,
        vmSize,
        createdSeconds: nowSeconds - 3_600,
        readySeconds: nowSeconds - 3_400,
        lastMatchSeconds: index < nodeCount / 2 ? null : lastMatchSeconds,
        deletedSeconds: null,
      }),
    );
  /** As in most plans, few nodes of many became idle or busy. */
  const newPlan = async () => {
    const head = headOf({ cluster, jobCount, nowSeconds, write: writes++ });
    await stores.plans.saveHead(head, (await stores.plans.loadHead(cluster))?.etag);
    await stores.history.save(cluster, history(nowSeconds - 60 + writes / 1000).slice(-500));
  };
  await newSnapshot();
  await newDemand();
  await stores.history.save(cluster, history(nowSeconds - 60));
  await newPlan();
  for (let minute = dayMinutes; minute > 0; minute -= 1) {
    const idle = Math.round((nodeCount / 4) * (1 + Math.sin(minute / 90)));
    await stores.samples.add(cluster, {
      atSeconds: Math.floor(nowSeconds) - minute * 60,
      nodes: { jobs: nodeCount - idle, idle },
      usdPerHour: nodeCount * 0.19,
      unpricedNodes: 0,
      runningJobs: nodeCount - idle,
      waitingJobs: jobCount - nodeCount,
    });
  }
  return { message: newDemand, snapshot: newSnapshot, plan: newPlan };
}

function headOf(known: {
  readonly cluster: string;
  readonly jobCount: number;
  readonly nowSeconds: number;
  readonly write: number;
}): PlanHead {
  const { cluster, jobCount, nowSeconds, write } = known;
  return {
    cluster,
    planId: `plan-${write}`,
    atSeconds: nowSeconds,
    reason: "demand from pbs",
    jobs: jobCount,
    placedJobs: 0,
    create: 0,
    start: 0,
    retire: 0,
    planSeconds: 0,
    readOnly: false,
    requestedAtSeconds: 1_700_000_000,
    controlDigest: "digest",
    configDigest: "digest",
    longestWaits: [],
    newestLossId: null,
    bought: null,
    snapshotTakenAtSeconds: nowSeconds,
    demandReadAtSeconds: nowSeconds,
    demandSequences: { pbs: write },
    unsentPlanIds: [],
    clusterDigest: "d",
    nextDeadlineSeconds: null,
    refusedQuotas: [],
    backedOff: [],
    troubled: [],
    bootsFailing: [],
    warnings: [],
    targetRequests: {},
    targets: [],
    draining: [],
    out: [],
    waiting: [],
  };
}
