import type { BlobServiceClient } from "@azure/storage-blob";
import { concurrently } from "../../collections/batches.ts";
import type { IfMatch, RequestSet, Stored, TargetStore } from "../../ports/index.ts";
import { byRequestSet } from "../order.ts";
import { BlobNames } from "./blob-names.ts";
import { Container, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";

/** Container `targets`: `<cluster>/<request set>.json`. */
export class BlobTargetStore implements TargetStore {
  readonly #container: Container;
  readonly #names: BlobNames;

  constructor(service: BlobServiceClient, { nowSeconds }: { readonly nowSeconds?: () => number } = {}) {
    this.#container = new Container(service, "targets");
    this.#names = new BlobNames(this.#container, (cluster) => `${escapeName(cluster)}/`, nowSeconds);
  }

  async list(cluster: string): Promise<readonly RequestSet[]> {
    const names = await this.#names.of(cluster);
    const stored = await concurrently(names, (name) => this.#container.load<RequestSet>(name));
    return stored.flatMap((each) => (each === undefined ? [] : [each.value])).sort(byRequestSet);
  }

  async load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined> {
    return this.#container.load(blobName(cluster, requestSet));
  }

  async save(requested: RequestSet, ifMatch: IfMatch): Promise<void> {
    const { cluster, requestSet } = requested;
    const record = `targets of request set "${requestSet}" for cluster "${cluster}"`;
    const name = blobName(cluster, requestSet);
    if (ifMatch === undefined) await this.#names.add(cluster, name);
    await this.#container.save(name, jsonContent(requested), { ifMatch, record });
  }

  async remove(cluster: string, requestSet: string): Promise<void> {
    await this.#container.delete(blobName(cluster, requestSet));
  }
}

function blobName(cluster: string, requestSet: string): string {
  return `${escapeName(cluster)}/${escapeName(requestSet)}.json`;
}
