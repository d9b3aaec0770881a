import type { BlobServiceClient } from "@azure/storage-blob";
import { ConflictError } from "../../errors/errors.ts";
import type { IfMatch, Snapshot, SnapshotStore, Stored } from "../../ports/index.ts";
import { Container, jsonContent } from "./container.ts";
import { clusterBlob } from "./keys.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

const mostTries = 5;

/** Container `snapshots`, one blob per cluster. The metadata holds when the reading started, so that a request for the properties is enough. */
export class BlobSnapshotStore implements SnapshotStore {
  readonly #container: Container;
  readonly #blobs: RememberedBlobs<Snapshot>;
  /** Of each cluster, what was read or written here last; somebody else may have written since. */
  readonly #newest = new Map<string, Pick<Snapshot, "takenAtSeconds"> & { readonly etag: string }>();

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "snapshots");
    this.#blobs = new RememberedBlobs(this.#container);
  }

  async load(cluster: string): Promise<Stored<Snapshot> | undefined> {
    const stored = await this.#blobs.read(clusterBlob(cluster));
    if (stored !== undefined)
      this.#newest.set(cluster, { takenAtSeconds: stored.value.takenAtSeconds, etag: stored.etag });
    return stored;
  }

  async save(
    cluster: string,
    snapshot: Snapshot,
    { latestSeconds = Number.POSITIVE_INFINITY }: { readonly latestSeconds?: number } = {},
  ): Promise<void> {
    const known = this.#newest.get(cluster);
    const isOlder = known !== undefined && known.takenAtSeconds <= snapshot.takenAtSeconds;
    for (let tries = 1; ; tries += 1) {
      try {
        if (isOlder && tries === 1) return await this.#saveOver(known.etag, cluster, snapshot);
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
    await this.#saveOver(storedFacts?.etag, cluster, snapshot);
  }

  async #saveOver(ifMatch: IfMatch, cluster: string, snapshot: Snapshot): Promise<void> {
    const content = jsonContent(snapshot, { takenatseconds: String(snapshot.takenAtSeconds) });
    const guard = { ifMatch, record: `snapshot of cluster "${cluster}"` };
    const etag = await this.#container.save(clusterBlob(cluster), content, guard);
    this.#newest.set(cluster, { takenAtSeconds: snapshot.takenAtSeconds, etag });
  }
}
