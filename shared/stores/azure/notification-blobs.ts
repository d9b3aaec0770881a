import type { BlobServiceClient } from "@azure/storage-blob";
import type { IfMatch, NotificationRecord, NotificationStore, Stored } from "../../ports/index.ts";
import { Container, jsonContent } from "./container.ts";
import { clusterBlob } from "./keys.ts";

/** Container `notifications`, one blob per cluster. */
export class BlobNotificationStore implements NotificationStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "notifications");
  }

  async load(cluster: string): Promise<Stored<NotificationRecord> | undefined> {
    return this.#container.load(clusterBlob(cluster));
  }

  async save(record: NotificationRecord, ifMatch: IfMatch): Promise<string> {
    const what = `notifications of cluster "${record.cluster}"`;
    return this.#container.save(clusterBlob(record.cluster), jsonContent(record), { ifMatch, record: what });
  }
}
