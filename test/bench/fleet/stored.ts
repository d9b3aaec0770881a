import { TableClient, TableServiceClient } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";

/** What a container or a table holds. */
export interface Held {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

/** What the storage account holds, by container and by table; of a row the length of its JSON, which is near to what is billed. */
export async function storedIn(connectionString: string): Promise<readonly Held[]> {
  const blobs = BlobServiceClient.fromConnectionString(connectionString);
  const held: Held[] = [];
  for await (const { name } of blobs.listContainers()) {
    const sizes: number[] = [];
    for await (const { properties } of blobs.getContainerClient(name).listBlobsFlat())
      sizes.push(properties.contentLength ?? 0);
    held.push({ name, ...sumOf(sizes) });
  }
  const options = { allowInsecureConnection: true };
  for await (const { name = "" } of TableServiceClient.fromConnectionString(
    connectionString,
    options,
  ).listTables()) {
    const sizes: number[] = [];
    for await (const row of TableClient.fromConnectionString(connectionString, name, options).listEntities())
      sizes.push(Buffer.byteLength(JSON.stringify(row)));
    held.push({ name, ...sumOf(sizes) });
  }
  return held.filter(({ count }) => count > 0);
}

function sumOf(sizes: readonly number[]): { readonly count: number; readonly bytes: number } {
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
