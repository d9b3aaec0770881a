import { DefaultAzureCredential } from "@azure/identity";
import { ServiceBusClient } from "@azure/service-bus";
import { apiVersion } from "../../shared/api/index.ts";
import {
  jobDemandPoisonQueue,
  jobDemandQueue,
  planRequestsQueue,
  scaleActionsQueue,
} from "../../shared/app/names.ts";
import { release } from "../../shared/app/release.ts";
import { checkConfig, configsInForce, readConfig } from "../../shared/config/index.ts";
import { createCycleCloud, LoginGate } from "../../shared/cyclecloud/index.ts";
import { createVmCatalogue } from "../../shared/facts/index.ts";
import { type JsonLimits, jsonLimitsFor } from "../../shared/json/json-limits.ts";
import type { ConfigChanges } from "../../shared/operate/index.ts";
import type {
  Clock,
  ConfigFiles,
  CycleCloud,
  CycleCloudFor,
  DemandQueue,
  Notifier,
  Ports,
  PriceList,
} from "../../shared/ports/index.ts";
import { createRetailPriceList } from "../../shared/price-list/index.ts";
import { createServiceBus } from "../../shared/queues/service-bus/index.ts";
import {
  StorageDemandQueue,
  StorageQueueEvents,
  StorageUnreadDemand,
} from "../../shared/queues/storage-queue/index.ts";
import { BlobConfigFiles, connectStorage, createAzureStores } from "../../shared/stores/azure/index.ts";
import { connectTelemetry, noTelemetry, type OpenTelemetry, type Run } from "../../shared/telemetry/index.ts";
import { knownSecretsIn } from "../../shared/text/redact.ts";
import { OutlookMemory } from "../../shared/views/index.ts";
import { createWebhooks } from "../../shared/webhooks/index.ts";
import { createTokenReader } from "./entra-token.ts";
import { type ApiLogin, entraGuard, type Guard, keyGuard } from "./guard.ts";
import type { NodeLogin } from "./node-login.ts";
import { availableMemoryBytes, createIds, instanceIn, type LogSink, logOf } from "./process.ts";
import { type AppSettings, type Environment, secretIn } from "./settings.ts";
import { Pace, Room, Turns } from "./throttle.ts";

/** Shared by all functions of a process. Holds clients and constants, never the state of an invocation. */
export interface Service {
  /** The ports of one invocation: the same clients, and a log of its own. */
  portsFor(invocation: LogSink): Ports;
  /** Runs a use case as a part of the trace that its message belongs to, or of a new one. */
  run<T>(invocation: LogSink, run: Run, work: (ports: Ports) => Promise<T>): Promise<T>;
  /** Sends the telemetry that is still buffered. */
  stop(): Promise<void>;
  readonly guard: Guard;
  /** How callers of the HTTP API authenticate. */
  readonly apiLogin: ApiLogin;
  readonly stops: StopService;
  /** What HTTP functions look at clusters with. */
  readonly outlooks: OutlookMemory;
  readonly operators: OperatorService;
  /** Undefined: none is read. */
  readonly priceList: PriceList | undefined;
  readonly notifier: Notifier;
  readonly jsonLimits: JsonLimits;
  /** Large bodies are read and checked one after the other: each may take a quarter of the memory. */
  readonly largeBodies: Turns;
  /** For plans, by what they read: jobs and nodes. Who asks for more than there is waits, so that the process does not end. */
  readonly planning: Room;
}

export interface OperatorService {
  readonly configFiles: ConfigFiles;
  readonly demandQueue: DemandQueue;
  /** What of configurations they may change. */
  readonly configChanges: ConfigChanges;
  /** What must be in nothing that they are shown. */
  readonly knownSecrets: readonly string[];
  /** Versions, for a support archive. */
  readonly about: Readonly<Record<string, string>>;
}

/** What nodes that ask to stop are met with. */
interface StopService {
  readonly login: NodeLogin;
  /** The secret in an app setting; undefined when there is none. */
  passwordOf(setting: string): string | undefined;
  readonly pace: Pace;
  readonly turns: Turns;
}

/** A node's timer asks every few minutes. */
const shortestAskSeconds = 10;
/** A few seconds each at worst; an HTTP answer may take 230 s. */
const mostAskingAtOnce = 500;
/** As many as the host hands over of a queue at once, and some by HTTP. A few seconds each at worst. */
const mostLargeBodiesWaiting = 40;

/** Jobs and nodes in plans at once. Measured (docs/performance.md, "Memory"): twice as many fit. */
const plannedAtOncePerMiB = 150;

/** The composition root: settings become clients, clients become ports. Nothing is sent yet. */
export function createService(options: {
  readonly settings: AppSettings;
  readonly environment: Environment;
}): Service {
  const { settings, environment } = options;
  const credential = new DefaultAzureCredential(
    settings.managedIdentityClientId === undefined
      ? {}
      : { managedIdentityClientId: settings.managedIdentityClientId },
  );
  const storage = connectStorage(
    "connectionString" in settings.storage ? settings.storage : { ...settings.storage, credential },
  );
  const memoryMiB = settings.memoryMiB ?? availableMemoryBytes() / 1024 / 1024;
  const jsonLimits = jsonLimitsFor(memoryMiB * 1024 * 1024);
  const clock: Clock = { nowSeconds: () => Date.now() / 1000 };
  const bus = createServiceBus({
    client: connectServiceBus(settings, credential),
    clock,
    planRequestsQueue,
    scaleActionsQueue,
  });
  let telemetry: Promise<OpenTelemetry | undefined> | undefined;
  const connected = () => {
    telemetry ??= connectTelemetry(settings.telemetry, { credential, instance: instanceIn(environment) });
    return telemetry;
  };
  const stores = createAzureStores({
    blob: storage.blob,
    table: storage.table,
    parseConfig: readConfig,
    keepsVersions: true,
    jsonLimits,
    log: logOf(console),
  });
  const shared: Omit<Ports, "log" | "telemetry"> = {
    ...stores,
    configs: configsInForce(stores.configs, clock),
    clock,
    ids: createIds(environment),
    random: { draw: Math.random },
    cycleCloudFor: cycleCloudClients(environment, clock),
    planRequests: bus.planRequests,
    scaleActions: bus.scaleActions,
    schedulerEvents: new StorageQueueEvents(storage.queue),
    unreadDemand: new StorageUnreadDemand({
      queue: storage.queue.getQueueClient(jobDemandQueue),
      poison: storage.queue.getQueueClient(jobDemandPoisonQueue),
    }),
  };
  return {
    portsFor: (invocation) => ({ ...shared, telemetry: noTelemetry, log: logOf(invocation) }),
    async run(invocation, run, work) {
      const told = await connected();
      if (told === undefined) return work({ ...shared, telemetry: noTelemetry, log: logOf(invocation) });
      return told.run(run, (telemetry) =>
        work({ ...shared, telemetry, log: logOf(invocation, telemetry.traceparent) }),
      );
    },
    async stop() {
      await (await telemetry)?.stop();
    },
    guard: guardOf(settings),
    apiLogin: settings.apiLogin,
    stops: {
      login: settings.nodeLogin,
      passwordOf: (setting) => secretIn(environment, setting),
      pace: new Pace({ everySeconds: shortestAskSeconds }),
      turns: new Turns({ mostWaiting: mostAskingAtOnce }),
    },
    priceList:
      settings.priceListAddress === undefined
        ? undefined
        : createRetailPriceList({ address: settings.priceListAddress, clock }),
    notifier: createWebhooks({ addressIn: (setting) => secretIn(environment, setting) }),
    outlooks: new OutlookMemory(),
    jsonLimits,
    largeBodies: new Turns({ mostWaiting: mostLargeBodiesWaiting }),
    planning: new Room(plannedAtOncePerMiB * memoryMiB),
    operators: {
      configFiles: new BlobConfigFiles(storage.blob, checkConfig),
      demandQueue: new StorageDemandQueue({
        queue: storage.queue.getQueueClient(jobDemandQueue),
        uploads: storage.blob,
      }),
      configChanges: settings.configChanges,
      knownSecrets: knownSecretsIn(environment),
      about: {
        release,
        api: apiVersion,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
      },
    },
  };
}

function guardOf({ apiLogin, nodeLogin, platformSignsIn }: AppSettings): Guard {
  if (apiLogin.by === "function-key") return keyGuard({ nodeLogin, platformSignsIn });
  const { issuer } = apiLogin;
  return entraGuard({ nodeLogin, issuer, readToken: createTokenReader(issuer) });
}

function connectServiceBus(settings: AppSettings, credential: DefaultAzureCredential): ServiceBusClient {
  // The SDK's own delay is 30 s, which is long to wait for a broker that restarted.
  const retryOptions = { retryDelayInMs: 500, timeoutInMs: 30_000 };
  return "connectionString" in settings.serviceBus
    ? new ServiceBusClient(settings.serviceBus.connectionString, { retryOptions })
    : new ServiceBusClient(settings.serviceBus.fullyQualifiedNamespace, credential, { retryOptions });
}

/** One client per cluster, made anew when its configuration or password changes: connections are kept. */
function cycleCloudClients(environment: Environment, clock: Clock): CycleCloudFor {
  const logins = new LoginGate(clock);
  const clients = new Map<string, { readonly key: string; readonly client: CycleCloud }>();
  return (config) => {
    const password = secretIn(environment, config.connection.passwordSetting) ?? "";
    const key = JSON.stringify([config.connection, config.facts, password]);
    const kept = clients.get(config.cluster);
    if (kept?.key === key) return kept.client;
    const client = createCycleCloud({
      connection: config.connection,
      cluster: config.cluster,
      password,
      catalogue: createVmCatalogue(config.facts),
      logins,
    });
    clients.set(config.cluster, { key, client });
    return client;
  };
}
