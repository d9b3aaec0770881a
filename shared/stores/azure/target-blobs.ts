import type { BlobServiceClient } from "@azure/storage-blob";
import { concurrently } from "../../collections/batches.ts";
import type { IfMatch, RequestSet, Stored, TargetStore } from "../../ports/index.ts";
import { byRequestSet } from "../order.ts";
import { Container, fromJson, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";

/** Container `targets`: `<cluster>/<request set>.json`. */
export class BlobTargetStore implements TargetStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "targets");
  }

  /** A set that goes away between listing and reading is left out. */
  async list(cluster: string): Promise<readonly RequestSet[]> {
    const names = await this.#container.names(`${escapeName(cluster)}/`);
    const blobs = await concurrently(names, (name) => this.#container.read(name));
    return blobs
      .flatMap((blob) => (blob === undefined ? [] : [fromJson<RequestSet>(blob.bytes)]))
      .sort(byRequestSet);
  }

  async load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined> {
    const blob = await this.#container.read(blobName(cluster, requestSet));
    return blob === undefined ? undefined : { value: fromJson(blob.bytes), etag: blob.etag };
  }

  async save(requested: RequestSet, ifMatch: IfMatch): Promise<void> {
    const { cluster, requestSet } = requested;
    const record = `targets of request set "${requestSet}" for cluster "${cluster}"`;
    await this.#container.save(blobName(cluster, requestSet), jsonContent(requested), { ifMatch, record });
  }

  async remove(cluster: string, requestSet: string): Promise<void> {
    await this.#container.delete(blobName(cluster, requestSet));
  }
}

function blobName(cluster: string, requestSet: string): string {
  return `${escapeName(cluster)}/${escapeName(requestSet)}.json`;
}
