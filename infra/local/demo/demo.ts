import { setTimeout as sleep } from "node:timers/promises";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueClient } from "@azure/storage-queue";
import { jobDemandQueue } from "../../../shared/app/names.ts";
import { sendDemand } from "../../../shared/queues/storage-queue/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import type { ClusterStatus } from "../../../shared/views/index.ts";
import type { Environment } from "../environment/environment.ts";
import { takeEvents } from "../scheduler/events.ts";
import { type Post, type RunningScheduler, runScheduler } from "../scheduler/run.ts";
import type { WorkloadJob } from "../scheduler/workload.ts";
import { readCosts } from "./costs.ts";
import { connectControl, type Ledger, type SimulatorControl } from "./simulator.ts";
import { duplicateNames, type Summary, summarize } from "./summary.ts";
import type { Scene } from "./view.ts";

const frameMilliseconds = 500;
const shown = 3;

export interface DemoOptions {
  /** Where it runs; `cluster` is the one that gets the workload. */
  readonly environment: Environment;
  /** The name under which the scheduler posts; no other cluster's may have it. */
  readonly source?: string;
  readonly jobs: readonly WorkloadJob[];
  readonly speed: number;
  /** Real seconds between two messages of the scheduler when nothing happens; 20 when left out. */
  readonly heartbeatSeconds?: number;
  /** Real seconds after which it gives up. */
  readonly timeoutSeconds: number;
  /** Spot nodes may be taken away under their jobs; elsewhere a job that lost its node is a fault. */
  readonly mayLoseNodes: boolean;
  /** The scheduler takes orders from the control panel, and goes on when the workload is done, until `stop` of the result. */
  readonly goesOn?: boolean;
  readonly onFrame: (scene: Scene) => void;
  readonly signal: AbortSignal;
}

/** How it ended; `faults` is empty when the workload is done and the cluster is back where it was. */
export interface DemoResult {
  readonly summary: Summary;
  readonly faults: readonly string[];
  /** The messages of the scheduler, in real time. */
  readonly posts: readonly Post[];
  /** Ends the scheduler, if it goes on. */
  readonly stop: () => Promise<void>;
}

/** Runs a workload through the whole stack until it is done and every node is gone again. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { environment, jobs, speed, source = "demo-scheduler" } = options;
  const control = await connectControl(environment.cycleCloudUrl, speed);
  const queue = new QueueClient(environment.storageConnectionString, jobDemandQueue);
  const events = new QueueClient(environment.storageConnectionString, `events-${source}`);
  const uploads = BlobServiceClient.fromConnectionString(environment.storageConnectionString);
  const started = Date.now();
  const scheduler = runScheduler({
    jobs,
    access: { ...environment.account, url: environment.cycleCloudUrl, cluster: environment.cluster },
    simulatedSeconds: control.simulatedSeconds,
    speed,
    ...(options.heartbeatSeconds !== undefined && { heartbeatSeconds: options.heartbeatSeconds }),
    ...(options.goesOn === true && {
      takeOrders: (report) => control.takeOrders(environment.cluster, { ...report, source }),
    }),
    takeEvents: (obey) => takeEvents(events, obey),
    post: async (wanted) => {
      const { cluster } = environment;
      const envelope = { version: 1, kind: "snapshot", cluster, source, capabilities: ["drain"] } as const;
      const demand = { ...envelope, sentAt: new Date().toISOString(), ...wanted };
      const sent = await sendDemand(demand, { queue, uploads });
      if (sent.outcome === "refused") throw new Error(sent.reason);
    },
  });
  let goesOn = false;
  try {
    const isOver = await watch(options, scheduler, control, started);
    const ledger = await control.ledger(environment.cluster);
    const summary = summarize({
      progress: scheduler.progress(),
      ledger,
      posts: scheduler.posts,
      creates: await control.creates(environment.cluster),
      costs: await readCosts(environment, { fromSeconds: started / 1000, speed }),
      realSeconds: (Date.now() - started) / 1000,
    });
    const status = await readStatus(environment);
    goesOn = options.goesOn === true;
    return {
      summary,
      faults: findFaults(options, { summary, ledger, isOver, status }),
      posts: scheduler.posts,
      stop: async () => (goesOn ? scheduler.stop() : undefined),
    };
  } finally {
    if (!goesOn) await scheduler.stop();
  }
}

/** True when all jobs are done and all nodes gone; false when time or patience ran out first. */
async function watch(
  options: DemoOptions,
  scheduler: RunningScheduler,
  control: SimulatorControl,
  started: number,
): Promise<boolean> {
  for (;;) {
    const progress = scheduler.progress();
    const elapsedSeconds = (Date.now() - started) / 1000;
    const status = await readStatus(options.environment);
    options.onFrame({
      cluster: options.environment.cluster,
      speed: options.speed,
      elapsedSeconds,
      progress,
      status,
      trouble: scheduler.trouble(),
    });
    const isDone = progress.done === progress.total;
    // The last frame stays on the screen: the service has seen the end as well, and counted it.
    const hasSeen = status === undefined || Object.keys(status.nodes).length === 0;
    if (isDone && hasSeen && isEmpty(await control.ledger(options.environment.cluster))) return true;
    if (options.signal.aborted || elapsedSeconds > options.timeoutSeconds) return false;
    await sleep(frameMilliseconds);
  }
}

function isEmpty(ledger: Ledger): boolean {
  return ledger.nodes.every((node) => node.terminatedAt !== null);
}

function findFaults(
  options: DemoOptions,
  end: {
    readonly summary: Summary;
    readonly ledger: Ledger;
    readonly isOver: boolean;
    readonly status: ClusterStatus | undefined;
  },
): string[] {
  const { summary, isOver } = end;
  const left = end.ledger.nodes.filter((node) => node.terminatedAt === null).map((node) => node.name);
  const twice = duplicateNames(end.ledger);
  const unfinished = summary.tasks - summary.done;
  const waiting = end.status?.waiting ?? [];
  const rejections = end.status?.rejections ?? [];
  return [
    ...(isOver ? [] : [`not over after ${duration(summary.realSeconds)}`]),
    ...(unfinished > 0 ? [`${unfinished} of ${summary.tasks} tasks are not done`] : []),
    ...(unfinished > 0 ? waiting.slice(0, shown).map((job) => job.why.join(" ")) : []),
    ...(unfinished > 0
      ? rejections.slice(0, shown).map(({ problems }) => `rejected: ${problems.join("; ")}`)
      : []),
    ...(left.length > 0 ? [`${left.length} nodes are left: ${left.slice(0, 10).join(", ")}`] : []),
    ...(twice.length > 0 ? [`nodes exist twice: ${twice.join(", ")}`] : []),
    ...(summary.requeued > 0 && !options.mayLoseNodes ? [`${summary.requeued} tasks lost their node`] : []),
  ];
}

async function readStatus(environment: Environment): Promise<ClusterStatus | undefined> {
  const url = `${environment.functionsUrl}/api/clusters/${encodeURIComponent(environment.cluster)}/status`;
  try {
    const response = await fetch(url);
    return response.ok ? ((await response.json()) as ClusterStatus) : undefined;
  } catch {
    return undefined;
  }
}
