import { TableClient, type TableServiceClientOptions } from "@azure/data-tables";
import type { TokenCredential } from "@azure/identity";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";

/** Address and credentials of the storage account: the three forms of a Functions connection. */
export type StorageConnection =
  | { readonly connectionString: string }
  | { readonly accountName: string; readonly credential: TokenCredential }
  | {
      readonly blobServiceUri: string;
      readonly queueServiceUri: string;
      readonly tableServiceUri: string;
      readonly credential: TokenCredential;
    };

/** Clients of one storage account. */
export interface StorageClients {
  readonly blob: BlobServiceClient;
  readonly queue: QueueServiceClient;
  readonly table: (name: string) => TableClient;
}

/** `tries` bounds how often the SDK makes a call that fails in a way worth another try; 4 when left out. */
export interface ConnectOptions {
  readonly tries?: number;
}

const retryDelayMs = 500;
const maxRetryDelayMs = 8_000;
const tryTimeoutMs = 30_000;

/** Creates the clients without sending anything, so a wrong account fails at the first call. */
export function connectStorage(connection: StorageConnection, options: ConnectOptions = {}): StorageClients {
  const tries = options.tries ?? 4;
  return "connectionString" in connection
    ? byConnectionString(connection.connectionString, tries)
    : byCredential(connection, tries);
}

function byConnectionString(text: string, tries: number): StorageClients {
  const isPlain = /UseDevelopmentStorage=true|Endpoint(sProtocol)?=http(:|;|$)/i.test(text);
  const options = tableOptions(isPlain, tries);
  return {
    blob: BlobServiceClient.fromConnectionString(text, storageOptions(tries)),
    queue: QueueServiceClient.fromConnectionString(text, storageOptions(tries)),
    table: (name) => TableClient.fromConnectionString(text, name, options),
  };
}

function byCredential(
  connection: Exclude<StorageConnection, { readonly connectionString: string }>,
  tries: number,
): StorageClients {
  const uris = "accountName" in connection ? urisOf(connection.accountName) : connection;
  const { credential } = connection;
  const options = tableOptions(uris.tableServiceUri.startsWith("http:"), tries);
  return {
    blob: new BlobServiceClient(uris.blobServiceUri, credential, storageOptions(tries)),
    queue: new QueueServiceClient(uris.queueServiceUri, credential, storageOptions(tries)),
    table: (name) => new TableClient(uris.tableServiceUri, name, credential, options),
  };
}

/** The short form of the setting knows the public cloud only, as in Azure Functions; other clouds give the URIs. */
function urisOf(account: string) {
  const uri = (service: string) => `https://${account}.${service}.core.windows.net`;
  return { blobServiceUri: uri("blob"), queueServiceUri: uri("queue"), tableServiceUri: uri("table") };
}

function storageOptions(tries: number) {
  const delays = { retryDelayInMs: retryDelayMs, maxRetryDelayInMs: maxRetryDelayMs };
  return { retryOptions: { maxTries: tries, tryTimeoutInMs: tryTimeoutMs, ...delays } };
}

/** Azurite's endpoints are plain HTTP, which the tables client refuses without an option; the other two accept it. */
function tableOptions(isPlain: boolean, tries: number): TableServiceClientOptions {
  const delays = { retryDelayInMs: retryDelayMs, maxRetryDelayInMs: maxRetryDelayMs };
  return { allowInsecureConnection: isPlain, retryOptions: { maxRetries: tries - 1, ...delays } };
}
