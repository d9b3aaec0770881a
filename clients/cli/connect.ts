import { readFile } from "node:fs/promises";
import type { TokenCredential } from "@azure/identity";
import type { ServiceBusClient } from "@azure/service-bus";
import { RestError } from "@azure/storage-queue";
import { z } from "zod";
import {
  jobDemandQueue,
  planRequestsQueue,
  scaleActionsQueue,
  serviceBusConnection,
  storageConnection,
} from "../../functions/support/names.ts";
import type { ReplayPorts } from "../../shared/cycle/replay-rejection.ts";
import { InvariantError, kindOf, messageOf, UpstreamError } from "../../shared/errors.ts";
import type { ServiceBusQueues } from "../../shared/messages/service-bus.ts";
import type { Clock, Ports } from "../../shared/ports.ts";
import {
  type AzureStores,
  connectStorage,
  createAzureStores,
  type StorageClients,
  type StorageConnection,
} from "../../shared/stores/azure/index.ts";
import { defaultCredential } from "./credential.ts";
import { CommandFailure } from "./exit-code.ts";

/** Where a command looks for the service. `local`: the file that `npm start` writes; undefined: the settings. */
export interface Place {
  readonly local: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What commands need of the service. */
export type ServicePorts = ReplayPorts & Pick<Ports, "controls" | "plans">;

interface Addresses {
  readonly storage: StorageConnection;
  /** Its SDK is loaded by then: most commands need none of it. */
  readonly serviceBus: () => Promise<ServiceBusClient>;
}

/**
 * Runs `work` on the service's storage and queues. Throws CommandFailure when they cannot be found or do not answer.
 * Service Bus is reached only by what needs it.
 */
export async function withService<T>(place: Place, work: (ports: ServicePorts) => Promise<T>): Promise<T> {
  const addresses = await addressesAt(place);
  const bus = lazyServiceBus(addresses);
  try {
    return await onStorage(addresses, (storage) => work(portsOf(storage, bus)));
  } finally {
    await bus.close();
  }
}

/** The same for what needs the storage account alone. */
export async function withStorage<T>(
  place: Place,
  work: (storage: StorageClients) => Promise<T>,
): Promise<T> {
  return onStorage(await addressesAt(place), work);
}

async function addressesAt(place: Place): Promise<Addresses> {
  return place.local === undefined ? addressesOf(place.env) : readLocal(place.local);
}

async function onStorage<T>(addresses: Addresses, work: (storage: StorageClients) => Promise<T>): Promise<T> {
  try {
    return await work(await connected("storage account", () => connectStorage(addresses.storage)));
  } catch (error) {
    if (kindOf(error) === undefined) throw error;
    throw new CommandFailure(messageOf(error), "Check that the service runs and that you may use it.");
  }
}

/** The storage account of a place, for who needs nothing else. Throws CommandFailure when it is not told. */
export async function storageOf(place: Place): Promise<StorageClients> {
  const { storage } = place.local === undefined ? addressesOf(place.env) : await readLocal(place.local);
  return connected("storage account", () => connectStorage(storage));
}

/** The SDKs' words about a malformed connection string may quote it, with its key. */
async function connected<T>(what: string, connect: () => T | Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(
      `Cannot use the connection string of the ${what}`,
      "Copy it from the portal again.",
    );
  }
}

/** The stores of an account. Configurations are listed there, and read by who needs more than their names. */
export function storesOf({ blob, table }: StorageClients): AzureStores {
  return createAzureStores({ blob, table, parseConfig: unread });
}

/** Secrets that this command line knows of: what it writes must hold none of them. */
export async function secretsAround(place: Place): Promise<readonly string[]> {
  const names = /^(CYCLECLOUD_PASSWORD\w*|CCSCALE_KEY)$/;
  const named = Object.entries(place.env).flatMap(([name, value]) =>
    names.test(name) && value ? [value] : [],
  );
  const local = place.local === undefined ? [] : connectionStringsOf(await readFile(place.local, "utf8"));
  const strings = [...local, place.env[storageConnection], place.env[serviceBusConnection]];
  const keys = strings.flatMap((text) => [
    ...(text ?? "").matchAll(/(?:AccountKey|SharedAccessKey)=([^;]+)/g),
  ]);
  return [...named, ...keys.flatMap(([, key]) => (key === undefined ? [] : [key]))];
}

function connectionStringsOf(text: string): readonly string[] {
  const local = localSchema.safeParse(JSON.parse(text));
  return local.success ? [local.data.storageConnectionString, local.data.serviceBusConnectionString] : [];
}

function portsOf(storage: StorageClients, bus: Pick<ServiceBusQueues, "planRequests">): ServicePorts {
  const stores = storesOf(storage);
  return {
    configs: stores.configs,
    controls: stores.controls,
    demand: stores.demand,
    plans: stores.plans,
    rejections: stores.rejections,
    targets: stores.targets,
    uploads: stores.uploads,
    clock,
    planRequests: bus.planRequests,
    demandQueue: { post: (text) => post(storage, text) },
  };
}

export const clock: Clock = { nowSeconds: () => Date.now() / 1000 };

async function unread(cluster: string): Promise<never> {
  throw new InvariantError(
    `Cannot read configuration of "${cluster}": only the names of clusters are used here`,
  );
}

async function post(storage: StorageClients, text: string): Promise<void> {
  try {
    await storage.queue.getQueueClient(jobDemandQueue).sendMessage(Buffer.from(text).toString("base64"));
  } catch (error) {
    const answer =
      error instanceof RestError ? `HTTP ${error.statusCode ?? "-"}, ${error.code}` : "no answer";
    throw new UpstreamError(`Cannot post to queue "${jobDemandQueue}": ${answer}`, {
      retryable: true,
      cause: error,
    });
  }
}

function lazyServiceBus(addresses: Addresses) {
  let open: { readonly client: ServiceBusClient; readonly queues: ServiceBusQueues } | undefined;
  const queues = async (): Promise<ServiceBusQueues> => {
    if (open !== undefined) return open.queues;
    const client = await connected("Service Bus namespace", addresses.serviceBus);
    const { createServiceBus } = await import("../../shared/messages/service-bus.ts");
    open = { client, queues: createServiceBus({ client, clock, planRequestsQueue, scaleActionsQueue }) };
    return open.queues;
  };
  return {
    planRequests: { send: async (request) => (await queues()).planRequests.send(request) },
    close: async () => {
      await open?.queues.close();
      await open?.client.close();
    },
  } satisfies Pick<ServiceBusQueues, "planRequests" | "close">;
}

const localSchema = z.object({
  storageConnectionString: z.string().min(1),
  serviceBusConnectionString: z.string().min(1),
});

async function readLocal(file: string): Promise<Addresses> {
  try {
    const local = localSchema.parse(JSON.parse(await readFile(file, "utf8")));
    return {
      storage: { connectionString: local.storageConnectionString },
      serviceBus: () => connectServiceBus(local.serviceBusConnectionString),
    };
  } catch (error) {
    const why = error instanceof z.ZodError ? "not what `npm start` writes" : messageOf(error);
    throw new CommandFailure(
      `Cannot read "${file}": ${why}`,
      'Start the local environment with "npm start".',
    );
  }
}

/** The same settings as the app's, in the same order of preference (`functions/support/settings.ts`). */
function addressesOf(env: Place["env"]): Addresses {
  const connectionString = env[storageConnection];
  const accountName = env[`${storageConnection}__accountName`];
  const serviceBus = () => serviceBusOf(env);
  if (connectionString) return { storage: { connectionString }, serviceBus };
  if (accountName) return { storage: { accountName, credential: defaultCredential() }, serviceBus };
  const [blobServiceUri, queueServiceUri, tableServiceUri] = ["blob", "queue", "table"].map(
    (service) => env[`${storageConnection}__${service}ServiceUri`],
  );
  if (blobServiceUri && queueServiceUri) {
    // Who posts demand needs no tables, and may not know where they are.
    const uris = { blobServiceUri, queueServiceUri, tableServiceUri: tableServiceUri ?? blobServiceUri };
    return { storage: { ...uris, credential: defaultCredential() }, serviceBus };
  }
  throw new CommandFailure(
    `Cannot find the service: ${storageConnection}__accountName is not set`,
    `Set it to the name of the storage account (or ${storageConnection} to a connection string), or use --local.`,
  );
}

async function serviceBusOf(env: Place["env"]): Promise<ServiceBusClient> {
  const connectionString = env[serviceBusConnection];
  const namespace = env[`${serviceBusConnection}__fullyQualifiedNamespace`];
  if (connectionString) return connectServiceBus(connectionString);
  if (namespace) return connectServiceBus(namespace, defaultCredential());
  throw new CommandFailure(
    `Cannot ask for a plan: ${serviceBusConnection}__fullyQualifiedNamespace is not set`,
    `Set it to the host name of the namespace, or ${serviceBusConnection} to a connection string.`,
  );
}

async function connectServiceBus(host: string, credential?: TokenCredential): Promise<ServiceBusClient> {
  const { ServiceBusClient } = await import("@azure/service-bus");
  return credential === undefined ? new ServiceBusClient(host) : new ServiceBusClient(host, credential);
}
