import type { BlobServiceClient } from "@azure/storage-blob";
import { ConflictError } from "../../errors/errors.ts";
import type { Snapshot, SnapshotStore, Stored } from "../../ports/index.ts";
import { Container, jsonContent } from "./container.ts";
import { clusterBlob } from "./keys.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

const mostTries = 5;

/** Container `snapshots`, one blob per cluster. The metadata holds when the reading started, so that a request for the properties is enough. */
export class BlobSnapshotStore implements SnapshotStore {
  readonly #container: Container;
  readonly #blobs: RememberedBlobs<Snapshot>;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "snapshots");
    this.#blobs = new RememberedBlobs(this.#container);
  }

  async load(cluster: string): Promise<Stored<Snapshot> | undefined> {
    return this.#blobs.read(clusterBlob(cluster));
  }

  async save(
    cluster: string,
    snapshot: Snapshot,
    { latestSeconds = Number.POSITIVE_INFINITY }: { readonly latestSeconds?: number } = {},
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#saveUnlessNewer(cluster, snapshot, latestSeconds);
      } catch (error) {
        if (!(error instanceof ConflictError) || tries >= mostTries) throw error;
      }
    }
  }

  /** A blob without our metadata was put there by hand: it counts as older. */
  async #saveUnlessNewer(cluster: string, snapshot: Snapshot, latestSeconds: number): Promise<void> {
    const storedFacts = await this.#container.facts(clusterBlob(cluster));
    const storedSeconds = Number(storedFacts?.metadata.takenatseconds ?? 0);
    if (storedSeconds > snapshot.takenAtSeconds && storedSeconds <= latestSeconds) return;
    const content = jsonContent(snapshot, { takenatseconds: String(snapshot.takenAtSeconds) });
    const guard = { ifMatch: storedFacts?.etag, record: `snapshot of cluster "${cluster}"` };
    await this.#container.save(clusterBlob(cluster), content, guard);
  }
}
