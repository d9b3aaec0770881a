import type { BlobServiceClient } from "@azure/storage-blob";
import type { IfMatch, RequestSet, Stored, TargetStore } from "../../ports/index.ts";
import { byRequestSet } from "../order.ts";
import { Container, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";

/** Container `targets`: `<cluster>/<request set>.json`. */
export class BlobTargetStore implements TargetStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "targets");
  }

  async list(cluster: string): Promise<readonly RequestSet[]> {
    return (await this.#container.loadAll<RequestSet>(`${escapeName(cluster)}/`)).sort(byRequestSet);
  }

  async load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined> {
    return this.#container.load(blobName(cluster, requestSet));
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
