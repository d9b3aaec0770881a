import type { BlobServiceClient } from "@azure/storage-blob";
import type { ClusterControl, ControlStore, IfMatch, Stored } from "../../ports.ts";
import { Container, fromJson, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";

/** Container `control`, one blob per cluster. */
export class BlobControlStore implements ControlStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "control");
  }

  async load(cluster: string): Promise<Stored<ClusterControl> | undefined> {
    const blob = await this.#container.read(blobName(cluster));
    return blob === undefined ? undefined : { value: fromJson(blob.bytes), etag: blob.etag };
  }

  async save(control: ClusterControl, ifMatch: IfMatch): Promise<void> {
    const record = `control of cluster "${control.cluster}"`;
    await this.#container.save(blobName(control.cluster), jsonContent(control), { ifMatch, record });
  }
}

function blobName(cluster: string): string {
  return `${escapeName(cluster)}.json`;
}
