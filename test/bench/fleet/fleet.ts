import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import {
  type DefinitionInput,
  type RunningCycleCloud,
  startCycleCloud,
} from "../../../infra/local/cyclecloud/index.ts";
import { appFiles } from "../../../infra/local/environment/app-files.ts";
import { startAzurite } from "../../../infra/local/environment/azurite.ts";
import { type FunctionsHost, start as startHost } from "../../../infra/local/functions-host/index.ts";
import { readConfig, startServiceBus } from "../../../infra/local/service-bus/index.ts";
import { jobDemandQueue, serviceBusConnection, storageConnection } from "../../../shared/app/names.ts";
import { sendDemand } from "../../../shared/queues/storage-queue/index.ts";

const root = resolve(import.meta.dirname, "../../..");
const account = { username: "autoscale", password: "local-simulator-only" };

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
  /** Of every cluster's `autoscale.json`, beside its connection. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Logs go here. */
  readonly folder: string;
}

/** One run of a function. */
export interface Invocation {
  readonly functionName: string;
  /** Unix seconds of its end. */
  readonly atSeconds: number;
  readonly durationMs: number;
  readonly succeeded: boolean;
}

/** A log line of the app, as its fields, and when it came (Unix seconds). */
export interface Line {
  readonly atSeconds: number;
  readonly event: string;
  readonly cluster?: string;
  readonly [field: string]: unknown;
}

/** One deployment of the autoscaler that serves many clusters, all on this machine. */
export interface Fleet {
  readonly invocations: readonly Invocation[];
  readonly lines: readonly Line[];
  /** Nodes of a cluster that CycleCloud shows, its own fixed ones left out. */
  nodes(cluster: string): number;
  /** When CycleCloud was asked to create nodes of a cluster (Unix seconds), the newest last. */
  creates(cluster: string): readonly number[];
  /** Posts what a cluster's scheduler wants from now on. */
  post(cluster: string, jobs: readonly object[]): Promise<void>;
  /** Requests that the storage account has answered, as `GET /devstoreaccount1/…`. */
  storageCalls(): Promise<readonly string[]>;
  /** Of its storage account. */
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** Starts everything in this process but Azurite. A process can have one fleet: the app keeps its settings. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  await mkdir(options.folder, { recursive: true });
  const logFile = join(options.folder, "azurite.log");
  const ending: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ending.toReversed()) await end();
  };
  try {
    const azurite = await startAzurite({ logFile });
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
    const host = await hostFunctions({
      options,
      invocations,
      lines,
      settings: {
        AzureWebJobsStorage: azurite.connectionString,
        [storageConnection]: azurite.connectionString,
        [serviceBusConnection]: bus.connectionString,
        SNAPSHOT_SCHEDULE: options.snapshotSchedule,
        PRICES_SCHEDULE: "0 0 0 1 1 *",
        PRICE_LIST_URL: "off",
        CYCLECLOUD_PASSWORD: account.password,
        AzureFunctionsJobHost__extensions__queues__maxPollingInterval: "00:00:00.200",
      },
    });
    ending.push(() => host.stop());
    const queue = QueueServiceClient.fromConnectionString(azurite.connectionString).getQueueClient(
      jobDemandQueue,
    );
    const uploads = BlobServiceClient.fromConnectionString(azurite.connectionString);
    let sequence = 0;
    const cloudOf = (cluster: string) => clouds.find(({ names }) => names.includes(cluster))?.cloud;
    return {
      connectionString: azurite.connectionString,
      invocations,
      lines,
      nodes: (cluster) => {
        const nodes = cloudOf(cluster)?.control.ledger(cluster).nodes ?? [];
        return nodes.filter(({ terminatedAt }) => terminatedAt === null).length;
      },
      creates: (cluster) => {
        const control = cloudOf(cluster)?.control;
        if (control === undefined) return [];
        const [realSeconds, simulatedSeconds] = [Date.now() / 1000, control.nowSeconds()];
        return control.calls
          .recent()
          .filter(({ path }) => path.startsWith(`/clusters/${cluster}/nodes/create`))
          .map(({ at }) => realSeconds - (simulatedSeconds - at) / options.speed);
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
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

async function hostFunctions(parts: {
  readonly options: FleetOptions;
  readonly settings: Readonly<Record<string, string>>;
  readonly invocations: Invocation[];
  readonly lines: Line[];
}): Promise<FunctionsHost> {
  const { options, settings, invocations, lines } = parts;
  return startHost({
    appDir: root,
    main: appFiles,
    settings,
    stateDir: join(options.folder, "timers"),
    // A slow server may hold a run for a minute; nobody waits for it here.
    graceMs: 2_000,
    onInvocation: ({ functionName, durationMs, status }) =>
      invocations.push({
        functionName,
        durationMs,
        succeeded: status === "succeeded",
        atSeconds: Date.now() / 1000,
      }),
    logger: ({ message }) => {
      if (!message.startsWith('{"event"')) return;
      lines.push({ ...JSON.parse(message), atSeconds: Date.now() / 1000 });
    },
  });
}
