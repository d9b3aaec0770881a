import { importPeer } from "./import-peer.ts";

/** A credential of `@azure/identity`, or anything that gives tokens. */
export interface Credential {
  getToken(
    scopes: string | string[],
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

/** The storage account of the service. Without a credential, that of `@azure/identity` for this machine. */
export type StorageAccount =
  | { readonly connectionString: string }
  | { readonly accountName: string; readonly credential?: Credential };

/** Clients of the account's queues and blobs. Throws an Error for a malformed connection string, without its text. */
export async function storageClients(account: StorageAccount) {
  const [{ QueueServiceClient }, { BlobServiceClient }] = await Promise.all([
    importPeer(() => import("@azure/storage-queue")),
    importPeer(() => import("@azure/storage-blob")),
  ]);
  if ("connectionString" in account) {
    try {
      return {
        queue: QueueServiceClient.fromConnectionString(account.connectionString),
        blob: BlobServiceClient.fromConnectionString(account.connectionString),
      };
    } catch {
      // The SDK's error may quote the text, with its key.
      throw new Error(
        "Cannot use the connection string of the storage account: copy it from the portal again",
      );
    }
  }
  const { accountName, credential = await usualCredential() } = account;
  const at = (service: string) => `https://${accountName}.${service}.core.windows.net`;
  return {
    queue: new QueueServiceClient(at("queue"), credential),
    blob: new BlobServiceClient(at("blob"), credential),
  };
}

async function usualCredential(): Promise<Credential> {
  const { DefaultAzureCredential } = await importPeer(() => import("@azure/identity"));
  return new DefaultAzureCredential();
}
