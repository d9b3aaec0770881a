import { type ChildProcess, execFile, fork } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import {
  type DefinitionInput,
  type RunningCycleCloud,
  startCycleCloud,
} from "../../../infra/local/cyclecloud/index.ts";
import { startAzurite } from "../../../infra/local/environment/azurite.ts";
import { readConfig, startServiceBus } from "../../../infra/local/service-bus/index.ts";
import { jobDemandQueue, serviceBusConnection, storageConnection } from "../../../shared/app/names.ts";
import { sendDemand } from "../../../shared/queues/storage-queue/index.ts";
import type { Invocation, Line, WorkerOrder, WorkerReport } from "./worker.ts";

export type { Invocation } from "./worker.ts";

const root = resolve(import.meta.dirname, "../../..");
const account = { username: "autoscale", password: "local-simulator-only" };
const defaultMemoryMb = 2_048;

/** A CycleCloud server and its clusters. */
export interface Server {
  readonly definitions: readonly DefinitionInput[];
  /** How long it takes for an answer; it answers at once when left out. */
  readonly latencyMilliseconds?: number;
  /** Nobody listens at its address. */
  readonly isDown?: boolean;
}

export interface FleetOptions {
  readonly servers: readonly Server[];
  /** Simulated seconds per real second. */
  readonly speed: number;
  readonly snapshotSchedule: string;
  /** Instances of the function app, each a process; 1 when left out. */
  readonly workers?: number;
  /** Memory of an instance in MB, as `instanceMemoryMB` of a deployment; 2,048 when left out. */
  readonly memoryMb?: number;
  /** Of every cluster's `autoscale.json`, beside its connection. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Logs go here. */
  readonly folder: string;
}

/** What a process has taken so far, by the system's own count. */
export interface Used {
  readonly name: string;
  readonly processorSeconds: number;
  readonly residentMb: number;
}

/** One deployment of the autoscaler that serves many clusters, all on this machine. */
export interface Fleet {
  readonly invocations: readonly Invocation[];
  readonly lines: readonly Line[];
  /** Nodes of a cluster that CycleCloud shows, its own fixed ones left out. */
  nodes(cluster: string): number;
  /** Nodes among them that have booted. */
  nodesUp(cluster: string): number;
  /** When each node of a cluster was asked for (Unix seconds), in that order; right for those since the last change of speed. */
  created(cluster: string): readonly number[];
  /** Host names of the nodes that are up. */
  hostnames(cluster: string): Promise<readonly string[]>;
  /** Simulated seconds per real second, from now on. */
  setSpeed(speed: number): void;
  /** Posts what a cluster's scheduler wants from now on. */
  post(cluster: string, jobs: readonly object[]): Promise<void>;
  /** The workers, Azurite, and this process with the broker and the CycleCloud servers. */
  used(): Promise<readonly Used[]>;
  /** Requests that the storage account has answered, as `GET /devstoreaccount1/…`. */
  storageCalls(): Promise<readonly string[]>;
  /** Of its storage account. */
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** Starts everything: the broker and the CycleCloud servers in this process, Azurite and the workers in processes of their own. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  await mkdir(options.folder, { recursive: true });
  const logFile = join(options.folder, "azurite.log");
  const ending: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ending.toReversed()) await end();
  };
  try {
    const azurite = await startAzurite({ logFile, logsRequests: true });
    ending.push(() => azurite.stop());
    const bus = await startServiceBus({
      config: readConfig(join(root, "infra/local/environment/service-bus.json")),
      port: 0,
    });
    ending.push(() => bus.stop());
    const clouds = await startClouds(options);
    ending.push(async () => void (await Promise.all(clouds.map(({ cloud }) => cloud?.stop()))));
    await prepareStorage(azurite.connectionString, options, clouds);
    const invocations: Invocation[] = [];
    const lines: Line[] = [];
    const settings = settingsOf(options, azurite.connectionString, bus.connectionString);
    const workers = await Promise.all(
      Array.from({ length: options.workers ?? 1 }, (_, index) =>
        startWorker({ index, options, settings, invocations, lines }),
      ),
    );
    ending.push(async () => void (await Promise.all(workers.map(stopWorker))));
    const queue = QueueServiceClient.fromConnectionString(azurite.connectionString).getQueueClient(
      jobDemandQueue,
    );
    const uploads = BlobServiceClient.fromConnectionString(azurite.connectionString);
    let { speed } = options;
    let sequence = 0;
    const cloudOf = (cluster: string) => clouds.find(({ names }) => names.includes(cluster))?.cloud;
    const nodesOf = (cluster: string) =>
      (cloudOf(cluster)?.control.ledger(cluster).nodes ?? []).filter(
        ({ terminatedAt }) => terminatedAt === null,
      );
    return {
      connectionString: azurite.connectionString,
      invocations,
      lines,
      nodes: (cluster) => nodesOf(cluster).length,
      nodesUp: (cluster) => nodesOf(cluster).filter(({ readyAt }) => readyAt !== null).length,
      created: (cluster) => {
        const control = cloudOf(cluster)?.control;
        if (control === undefined) return [];
        const [realSeconds, simulatedSeconds] = [Date.now() / 1000, control.nowSeconds()];
        return control
          .ledger(cluster)
          .nodes.map(({ createdAt }) => realSeconds - (simulatedSeconds - createdAt) / speed)
          .toSorted((a, b) => a - b);
      },
      hostnames: async (cluster) => {
        const response = await fetch(`${cloudOf(cluster)?.url}/clusters/${cluster}/nodes`, {
          headers: login,
        });
        const { nodes } = (await response.json()) as { nodes: { Hostname?: string; Template?: string }[] };
        return nodes.flatMap(({ Hostname, Template }) => (Hostname && Template ? [Hostname] : []));
      },
      setSpeed: (next) => {
        speed = next;
        for (const { cloud } of clouds) cloud?.control.speed({ speed });
      },
      post: async (cluster, jobs) => {
        sequence += 1;
        const sentAt = new Date().toISOString();
        const envelope = { version: 1, kind: "snapshot", cluster, source: "load", sequence, sentAt } as const;
        await sendDemand({ ...envelope, jobs, nodes: [] }, { queue, uploads });
      },
      storageCalls: async () => {
        const text = await readFile(logFile, "utf8");
        return [...text.matchAll(/"([A-Z]+ \/\S*)/g)].map(([, call = ""]) => call);
      },
      used: () => {
        const pids = workers.map(({ pid = -1 }, index) => [`worker ${index + 1}`, pid] as const);
        return usedBy([...pids, ["Azurite", azurite.pid], ["broker, CycleCloud, load", process.pid]]);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const login = {
  Authorization: `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`,
};

function settingsOf(
  { snapshotSchedule, memoryMb = defaultMemoryMb }: FleetOptions,
  storage: string,
  serviceBus: string,
): Readonly<Record<string, string>> {
  return {
    AzureWebJobsStorage: storage,
    [storageConnection]: storage,
    [serviceBusConnection]: serviceBus,
    SNAPSHOT_SCHEDULE: snapshotSchedule,
    PRICES_SCHEDULE: "0 0 0 1 1 *",
    PRICE_LIST_URL: "off",
    CYCLECLOUD_PASSWORD: account.password,
    AUTOSCALE_MEMORY_MIB: `${memoryMb}`,
    // As infra/modules/function-app.bicep sets it: 8 for 512 MB, 32 for 2,048, 64 for 4,096.
    AzureFunctionsJobHost__extensions__serviceBus__maxConcurrentSessions: `${memoryMb / 64}`,
    AzureFunctionsJobHost__extensions__queues__maxPollingInterval: "00:00:00.200",
  };
}

/** Azure runs a timer in one instance: so does the first worker. */
async function startWorker(parts: {
  readonly index: number;
  readonly options: FleetOptions;
  readonly settings: Readonly<Record<string, string>>;
  readonly invocations: Invocation[];
  readonly lines: Line[];
}): Promise<ChildProcess> {
  const { index, options, settings, invocations, lines } = parts;
  const order: WorkerOrder = {
    settings: index === 0 ? settings : { ...settings, "AzureWebJobs.snapshot-nodes.Disabled": "true" },
  };
  const heapMb = (options.memoryMb ?? defaultMemoryMb) / 2;
  const child = fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(order)], {
    execArgv: [`--max-old-space-size=${heapMb}`],
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) =>
      reject(new Error(`Cannot start a worker: ended with ${signal ?? code}`)),
    );
    child.on("message", (message: WorkerReport) => {
      if (message.kind === "ready") resolve(child);
      else if (message.kind === "line") lines.push(message.line);
      else invocations.push(message.invocation);
    });
  });
}

async function stopWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.disconnect();
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(late);
}

async function usedBy(processes: readonly (readonly [string, number])[]): Promise<readonly Used[]> {
  const pids = processes.map(([, pid]) => pid).join(",");
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=,rss=,time=", "-p", pids]);
  const rows = new Map(
    stdout
      .trim()
      .split("\n")
      .map((row) => row.trim().split(/\s+/))
      .map(([pid, rss, time]) => [Number(pid), { rss: Number(rss), time: time ?? "" }]),
  );
  return processes.flatMap(([name, pid]) => {
    const row = rows.get(pid);
    if (row === undefined) return [];
    // hours:minutes:seconds
    const processorSeconds = row.time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    return [{ name, processorSeconds, residentMb: row.rss / 1024 }];
  });
}

interface Cloud {
  readonly names: readonly string[];
  readonly url: string;
  readonly cloud: RunningCycleCloud | undefined;
}

async function startClouds({ servers, speed }: FleetOptions): Promise<readonly Cloud[]> {
  return Promise.all(
    servers.map(async ({ definitions, latencyMilliseconds, isDown }) => {
      const names = definitions.map(({ name }) => name);
      // The port of discarded packets: nothing listens there.
      if (isDown === true) return { names, url: "http://127.0.0.1:9", cloud: undefined };
      const cloud = await startCycleCloud({ definitions, speed, ...account });
      if (latencyMilliseconds !== undefined) {
        const range = { minMilliseconds: latencyMilliseconds, maxMilliseconds: latencyMilliseconds };
        cloud.control.latency(range);
      }
      return { names, url: cloud.url, cloud };
    }),
  );
}

async function prepareStorage(
  connectionString: string,
  options: FleetOptions,
  clouds: readonly Cloud[],
): Promise<void> {
  await QueueServiceClient.fromConnectionString(connectionString)
    .getQueueClient(jobDemandQueue)
    .createIfNotExists();
  const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient("config");
  await container.createIfNotExists();
  for (const { names, url } of clouds) {
    for (const name of names) {
      const config = JSON.stringify({
        ...options.config,
        cluster_name: name,
        url,
        username: account.username,
      });
      await container.getBlockBlobClient(`${name}.json`).upload(config, Buffer.byteLength(config));
    }
  }
}
