/** One size of `cycle.ts` in a process of its own, so that its first plan is a cold one. Prints a {@link MeasuredCycle} as JSON. */
import { z } from "zod";
import type { Ports, SourceDemand } from "../../shared/ports/index.ts";
import { packDemand, unpackDemand } from "../../shared/stores/azure/packed-demand.ts";
import { zipPlan } from "../../shared/stores/azure/plan-store.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../support/cluster.ts";
import { FakeCycleCloud } from "../support/fake-cyclecloud.ts";
import { createWorld, type World } from "../support/world.ts";
import type { MeasuredCycle, Phases } from "./cycle.ts";

const order = z
  .object({ jobs: z.int(), nodes: z.int(), rounds: z.int(), clusters: z.int() })
  .parse(JSON.parse(process.argv[2] ?? ""));
const source = "slurm";
/** A job on each; the other jobs wait. */
const nodeCount = Math.min(order.nodes, order.jobs / 2);
const arrays = ["htc", "hpc", "gpu"];
let actions = 0;

// Each in a world of its own. Those that run at once are there for the peak of memory alone.
const [cold] = await Promise.all(Array.from({ length: order.clusters }, measure));
if (cold === undefined) throw new Error("nothing was measured");
const warm: Phases[] = [];
for (let round = 0; round < order.rounds; round += 1) warm.push(await measure());
const peakRssMb = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ cold, warm, actions, peakRssMb } satisfies MeasuredCycle));

async function measure(): Promise<Phases> {
  const world = createWorld(new FakeCycleCloud(nearlyFull()));
  const { body, upload } = message(world.now());
  const marks = new Map<string, number>();
  const ports = withTexts(world, upload, (name) => marks.set(name, cpuMs()));
  await world.snapshot();
  world.ports.planRequests.takeDue(Number.POSITIVE_INFINITY);
  world.advance(10);
  const begun = cpuMs();
  const { receiveDemand, answerPlanRequest } = await import("../../shared/cycle/index.ts");
  const received = await receiveDemand(ports, { body, messageId: "1", queue: "job-demand" });
  if (received.outcome !== "accepted") throw new Error(JSON.stringify(received));
  const accepted = cpuMs();
  const [due] = world.ports.planRequests.takeDue(Number.POSITIVE_INFINITY);
  if (due === undefined) throw new Error("nobody asked for a plan");
  const planned = await answerPlanRequest(ports, due.request);
  const ended = cpuMs();
  if (planned.outcome !== "planned") throw new Error(planned.outcome);
  const { read, sent } = Object.fromEntries(marks);
  if (read === undefined || sent === undefined) throw new Error("nothing was read, or nothing sent");
  return {
    receiveMs: accepted - begun,
    readMs: read - accepted,
    planMs: sent - read,
    sentMs: sent - begun,
    archiveMs: ended - sent,
  };
}

/** Demand and plans pass through the texts that a storage account holds: each reader has its own copy. */
function withTexts({ ports }: World, upload: string, mark: (name: "read" | "sent") => void): Ports {
  let stored: { readonly text: string; readonly etag: string } | undefined;
  const read = (): SourceDemand[] => (stored === undefined ? [] : [unpackDemand(JSON.parse(stored.text))]);
  return {
    ...ports,
    uploads: { read: async () => upload },
    demand: {
      ...boundTo(ports.demand),
      load: async () => {
        const [value] = read();
        return value && { value, etag: stored?.etag ?? "" };
      },
      save: async (demand) => {
        stored = { text: JSON.stringify(packDemand(demand)), etag: String(demand.sequence) };
      },
      list: async () => {
        const demand = read();
        mark("read");
        return demand;
      },
    },
    scaleActions: {
      ...boundTo(ports.scaleActions),
      send: async (sent) => {
        mark("sent");
        actions = sent.length;
        await ports.scaleActions.send(sent);
      },
    },
    plans: {
      ...boundTo(ports.plans),
      archive: async (plan) => {
        await zipPlan(plan, Number.POSITIVE_INFINITY);
        return { outcome: "archived" };
      },
    },
  };
}

/** The methods of a store as functions, so that some of them can be replaced. */
function boundTo<T extends object>(store: T): T {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(store));
  const methods = names.map((name) => {
    const method: unknown = Reflect.get(store, name);
    return [name, typeof method === "function" ? method.bind(store) : method] as const;
  });
  return { ...store, ...Object.fromEntries(methods) };
}

/** Of this thread alone: what else the machine does, and how many cores it has, does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Nodes that run jobs, and room for a hundred more in each array. */
function nearlyFull() {
  const nodes = Array.from({ length: nodeCount }, (_, index) =>
    nodeOf({ name: `htc-${index + 1}`, hostname: `ip-${index + 1}` }),
  );
  const most = { maxCount: nodeCount + 100, maxCoreCount: 4 * (nodeCount + 100) };
  const bucket = bucketOf({ availableCount: 100 });
  const quota = { maxCores: 1e6, usedCores: 4 * nodeCount };
  const limits = { ...bucket.limits, region: quota, family: quota };
  const nodeArrays = arrays.map((name) => nodeArrayOf({ name, ...most, buckets: [{ ...bucket, limits }] }));
  return clusterOf({ nodeArrays, nodes, maxCount: 1e6, maxCoreCount: 1e6 });
}

/** As the agent posts what the Slurm driver read, with the jobs in a blob: a job on each node, and the others wait, of 100 shapes and 50 users. */
function message(nowSeconds: number): { readonly body: object; readonly upload: string } {
  const jobs = Array.from({ length: order.jobs }, (_, index) => ({
    name: String(100_000 + index),
    constraints: {
      "node.nodearray": arrays[index % 3],
      ncpus: 1 + (index % 4),
      memmb: 1_000 + 100 * (index % 8),
    },
    // Slurm counts it down from job to job.
    priority: 4_294_901_759 - index,
    submittedAt: new Date((nowSeconds - order.jobs + index) * 1000).toISOString(),
    runtimeSeconds: 3_600 * (1 + (index % 24)),
    user: `user-${index % 50}`,
    account: "fluids",
    queue: arrays[index % 3],
    jobName: `run-${index % 500}`,
    ...(index < nodeCount
      ? { executingHostnames: [`ip-${index + 1}`], startedAtSeconds: nowSeconds - 60 }
      : {}),
  }));
  const sentAt = new Date(nowSeconds * 1000).toISOString();
  const body = {
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source,
    sequence: 1,
    sentAt,
    blob: "jobs.json",
  };
  return { body, upload: JSON.stringify({ jobs, nodes: [] }) };
}
