import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import getPort from "get-port";
import { jobDemandQueue, serviceBusConnection, storageConnection } from "../../../shared/app/names.ts";
import { startPriceList } from "../price-list/start-price-list.ts";
import { appFiles } from "./app-files.ts";
import { startAzurite } from "./azurite.ts";
import { type Child, startChild } from "./child.ts";

const local = resolve(import.meta.dirname, "..");
const root = resolve(local, "../..");
/** A schedule that no test lives to see. */
const never = "0 0 0 1 1 *";
const account = { username: "autoscale", password: "local-simulator-only" };

/** A cluster that the simulator has and the autoscaler serves. */
export interface ServedCluster {
  /** CycleCloud cluster definition (see infra/local/cyclecloud/README.md). */
  readonly clusterFile: string;
  readonly cluster: string;
  /** The cluster's `autoscale.json`, but for its connection. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface EnvironmentOptions extends ServedCluster {
  /** More clusters, of the same server. */
  readonly beside?: readonly ServedCluster[];
  /** Simulated seconds per real second, of CycleCloud and its nodes. */
  readonly speed: number;
  readonly seed: number;
  /** Logs and the broker's file go here. */
  readonly folder: string;
  /** NCRONTAB schedule of the snapshot timer. */
  readonly snapshotSchedule: string;
  /** NCRONTAB schedule of the timer that reads the local price list; never when left out. */
  readonly pricesSchedule?: string;
  /** Connection string of an empty storage account that is there already; an Azurite of its own when left out. */
  readonly storage?: string;
  /** App settings beside those that every environment has. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told as each part comes up. */
  readonly onProgress?: (part: string) => void;
  /** Gives up starting, and ends what has started; without effect on what is up. */
  readonly signal?: AbortSignal;
}

/** Everything that the autoscaler needs, running on this machine. */
export interface Environment {
  readonly cluster: string;
  readonly storageConnectionString: string;
  readonly serviceBusConnectionString: string;
  readonly cycleCloudUrl: string;
  readonly account: typeof account;
  /** Base URL of the Functions host, such as `http://127.0.0.1:7071`. */
  readonly functionsUrl: string;
  /** Ends the Functions host, kindly or as a crash would. */
  stopHost(how: "stop" | "kill"): Promise<void>;
  startHost(): Promise<void>;
  /** Ends the Service Bus emulator as a crash would, and starts it again with the messages that it had written down. */
  restartServiceBus(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Azurite, the Service Bus emulator, the CycleCloud simulator and the Functions host on free ports. Throws an Error
 * when one does not come up; none is left running then.
 */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  await mkdir(options.folder, { recursive: true });
  const { signal } = options;
  const running: Pick<Child, "stop">[] = [];
  const add = async <T extends Child>(starting: Promise<T>): Promise<T> => {
    const child = await starting;
    options.onProgress?.(child.name);
    running.push(child);
    return child;
  };
  try {
    const prices = await startPriceList();
    running.push(prices);
    const ports = { bus: await getPort(), cycleCloud: await getPort(), functions: await getPort() };
    const logFile = (name: string) => join(options.folder, `${name}.log`);
    const starting = [
      options.storage ??
        add(startAzurite({ logFile: logFile("azurite"), signal })).then(
          (azurite) => azurite.connectionString,
        ),
      add(startServiceBus(ports.bus, options.folder, signal)),
      add(startCycleCloud(ports, options)),
    ] as const;
    // All of them are over with starting before the first error counts: one that came up later would never be stopped.
    await Promise.allSettled(starting);
    const [storage, firstBus] = await Promise.all(starting);
    let serviceBus: Child = firstBus;
    const cycleCloudUrl = `http://127.0.0.1:${ports.cycleCloud}`;
    await prepareStorage(storage, options, cycleCloudUrl);
    const serviceBusConnectionString = `Endpoint=sb://127.0.0.1:${ports.bus};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`;
    const settings = {
      AzureWebJobsStorage: storage,
      [storageConnection]: storage,
      [serviceBusConnection]: serviceBusConnectionString,
      SNAPSHOT_SCHEDULE: options.snapshotSchedule,
      PRICES_SCHEDULE: options.pricesSchedule ?? never,
      PRICE_LIST_URL: prices.address,
      CYCLECLOUD_PASSWORD: account.password,
      // The password is public, and the server listens on this machine only.
      AUTOSCALE_CONFIG_CHANGES: "all",
      AzureFunctionsJobHost__extensions__queues__maxPollingInterval: "00:00:00.200",
      ...options.settings,
    };
    const host = hostedFunctions(ports.functions, settings, options.folder);
    await host.start(signal);
    options.onProgress?.("functions-host");
    return {
      cluster: options.cluster,
      storageConnectionString: storage,
      serviceBusConnectionString,
      cycleCloudUrl,
      account,
      functionsUrl: `http://127.0.0.1:${ports.functions}`,
      stopHost: host.end,
      startHost: () => host.start(),
      restartServiceBus: async () => {
        await serviceBus.kill();
        running.splice(running.indexOf(serviceBus), 1);
        serviceBus = await add(startServiceBus(ports.bus, options.folder));
      },
      stop: async () => {
        await host.end("stop");
        await stopAll(running);
      },
    };
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

function startServiceBus(port: number, folder: string, signal?: AbortSignal): Promise<Child> {
  const script = join(local, "service-bus/cli.ts");
  const config = join(local, "environment/service-bus.json");
  const data = join(folder, "service-bus.journal");
  return startChild({
    name: "service-bus",
    args: [script, "--config", config, "--port", `${port}`, "--data", data],
    isReady: (line) => line.startsWith("Endpoint="),
    logFile: join(folder, "service-bus.log"),
    signal,
  });
}

function startCycleCloud(
  ports: { readonly cycleCloud: number; readonly functions: number },
  options: EnvironmentOptions,
): Promise<Child> {
  const events = `http://127.0.0.1:${ports.functions}/runtime/webhooks/EventGrid?functionName=node-events`;
  return startChild({
    name: "cyclecloud",
    args: [
      join(local, "cyclecloud/cli.ts"),
      ...["--cluster", ...servedBy(options).map(({ clusterFile }) => clusterFile)],
      ...["--port", `${ports.cycleCloud}`],
      ...["--events-url", events],
      ...["--speed", `${options.speed}`, "--seed", `${options.seed}`],
      ...["--username", account.username, "--password", account.password],
    ],
    isReady: (line) => line.startsWith("CycleCloud simulator at"),
    logFile: join(options.folder, "cyclecloud.log"),
    signal: options.signal,
  });
}

function hostedFunctions(port: number, settings: Readonly<Record<string, string>>, folder: string) {
  let child: Child | undefined;
  return {
    start: async (signal?: AbortSignal) => {
      child = await startChild({
        name: "functions-host",
        args: [
          join(local, "functions-host/cli.ts"),
          ...["--app", root, "--main", appFiles, "--port", `${port}`, "--ready-line"],
          ...["--queue-lease-seconds", "5"],
        ],
        env: settings,
        isReady: (line) => line.startsWith('{"ready":true'),
        logFile: join(folder, "functions-host.log"),
        signal,
      });
    },
    end: async (how: "stop" | "kill") => {
      await (how === "kill" ? child?.kill() : child?.stop());
    },
  };
}

/** What an operator sets up once: the demand queue, and the clusters' configurations. */
async function prepareStorage(
  connectionString: string,
  options: EnvironmentOptions,
  cycleCloudUrl: string,
): Promise<void> {
  const queues = QueueServiceClient.fromConnectionString(connectionString);
  await queues.getQueueClient(jobDemandQueue).createIfNotExists();
  const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient("config");
  await container.createIfNotExists();
  for (const { cluster, config } of servedBy(options)) {
    const text = JSON.stringify({
      cluster_name: cluster,
      url: cycleCloudUrl,
      username: account.username,
      verify_certificates: true,
      snapshot_interval: 0,
      ...config,
    });
    const blob = container.getBlockBlobClient(`${encodeURIComponent(cluster)}.json`);
    await blob.upload(text, Buffer.byteLength(text));
  }
}

function servedBy({ beside = [], ...first }: EnvironmentOptions): readonly ServedCluster[] {
  return [first, ...beside];
}

async function stopAll(children: readonly Pick<Child, "stop">[]): Promise<void> {
  await Promise.all(children.map((child) => child.stop()));
}
