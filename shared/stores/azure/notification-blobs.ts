import type { BlobServiceClient } from "@azure/storage-blob";
import type { IfMatch, NotificationRecord, NotificationStore, Stored } from "../../ports/index.ts";
import { Container, fromJson, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";

/** Container `notifications`, one blob per cluster. */
export class BlobNotificationStore implements NotificationStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "notifications");
  }

  async load(cluster: string): Promise<Stored<NotificationRecord> | undefined> {
    const blob = await this.#container.read(blobName(cluster));
    return blob === undefined ? undefined : { value: fromJson(blob.bytes), etag: blob.etag };
  }

  async save(record: NotificationRecord, ifMatch: IfMatch): Promise<string> {
    const what = `notifications of cluster "${record.cluster}"`;
    return this.#container.save(blobName(record.cluster), jsonContent(record), { ifMatch, record: what });
  }
}

function blobName(cluster: string): string {
  return `${escapeName(cluster)}.json`;
}
