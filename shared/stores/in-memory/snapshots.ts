import type { Snapshot, SnapshotStore, Stored } from "../../ports/index.ts";
import { Records } from "./records.ts";

/** The newest snapshot of each cluster. */
export class MemorySnapshotStore implements SnapshotStore {
  readonly #snapshots = new Records<Snapshot>("snapshot");

  async load(cluster: string): Promise<Stored<Snapshot> | undefined> {
    return this.#snapshots.get(cluster);
  }

  async save(
    cluster: string,
    snapshot: Snapshot,
    { latestSeconds = Number.POSITIVE_INFINITY }: { readonly latestSeconds?: number } = {},
  ): Promise<void> {
    const known = this.#snapshots.get(cluster)?.value.takenAtSeconds ?? 0;
    if (known > snapshot.takenAtSeconds && known <= latestSeconds) return;
    this.#snapshots.put(cluster, snapshot);
  }
}
