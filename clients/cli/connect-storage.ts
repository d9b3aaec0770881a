import { readFile } from "node:fs/promises";
import type { TokenCredential } from "@azure/identity";
import type { ServiceBusClient } from "@azure/service-bus";
import { z } from "zod";
import {
  planRequestsQueue,
  scaleActionsQueue,
  serviceBusConnection,
  storageConnection,
} from "../../shared/app/names.ts";
import { configsInForce, readConfig } from "../../shared/config/index.ts";
import { parseJson } from "../../shared/json/json.ts";
import type { Clock, PlanRequests, Stores } from "../../shared/ports/index.ts";
import {
  connectStorage,
  createAzureStores,
  type StorageClients,
  type StorageConnection,
} from "../../shared/stores/azure/index.ts";
import { keysIn, knownSecretsIn } from "../../shared/text/redact.ts";
import { CommandFailure } from "./exit-code.ts";
import { type Place, readLocalEnvironment } from "./local-environment.ts";
import { defaultCredential } from "./service/sign-in.ts";

interface Addresses {
  readonly storage: StorageConnection;
  /** Its SDK is loaded by then: most commands need none of it. */
  readonly serviceBus: () => Promise<ServiceBusClient>;
}

async function addressesAt(place: Place): Promise<Addresses> {
  return place.local === undefined ? addressesOf(place.env) : readLocal(place.local);
}

/** The storage account of a place. Throws CommandFailure if its address is not known. */
export async function storageOf(place: Place): Promise<StorageClients> {
  const { storage } = place.local === undefined ? addressesOf(place.env) : await readLocal(place.local);
  return connected("storage account", () => connectStorage(storage));
}

/** The SDKs' errors may quote a malformed connection string, with its key. */
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

export function storesOf({ blob, table }: StorageClients): Stores {
  const stores = createAzureStores({ blob, table, parseConfig: readConfig });
  return { ...stores, configs: configsInForce(stores.configs, clock) };
}

/** The secrets that this command line knows. Nothing that it writes may contain them. */
export async function secretsAround(place: Place): Promise<readonly string[]> {
  if (place.local === undefined) return knownSecretsIn(place.env);
  const local = localSchema.safeParse(parseJson(await readFile(place.local, "utf8")));
  const strings = local.success
    ? [local.data.storageConnectionString, local.data.serviceBusConnectionString]
    : [];
  return [...knownSecretsIn(place.env), ...strings.flatMap(keysIn)];
}

/** Sends plan requests to the Service Bus of a place. Connects when there is one to send. */
export function planRequestsAt(place: Place): PlanRequests {
  return {
    send: async (scheduled) => {
      const { serviceBus } = await addressesAt(place);
      const client = await connected("Service Bus namespace", serviceBus);
      const { createServiceBus } = await import("../../shared/queues/service-bus/index.ts");
      const queues = createServiceBus({ client, clock, planRequestsQueue, scaleActionsQueue });
      try {
        await queues.planRequests.send(scheduled);
      } finally {
        await queues.close();
        await client.close();
      }
    },
  };
}

export const clock: Clock = { nowSeconds: () => Date.now() / 1000 };

const localSchema = z.object({
  storageConnectionString: z.string().min(1),
  serviceBusConnectionString: z.string().min(1),
});

async function readLocal(file: string): Promise<Addresses> {
  const local = await readLocalEnvironment(file, localSchema);
  return {
    storage: { connectionString: local.storageConnectionString },
    serviceBus: () => connectServiceBus(local.serviceBusConnectionString),
  };
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
    // Posting demand needs no tables, so their address may be missing.
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
