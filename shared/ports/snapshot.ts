import type { Cluster } from "../engine/index.ts";
import type { Stored } from "./stored.ts";

/** A cluster as CycleCloud reported it, in the engine's terms. */
export interface Snapshot {
  readonly cluster: Cluster;
  /** When the reading was *started*: whatever happened later may be missing from it. Unix seconds. */
  readonly takenAtSeconds: number;
  /** Records that could not be understood and were left out, one sentence each. */
  readonly setAside: readonly string[];
}

export interface SnapshotStore {
  load(cluster: string): Promise<Stored<Snapshot> | undefined>;
  /** The newest reading replaces the one before, unless that one was started later. */
  save(cluster: string, snapshot: Snapshot): Promise<void>;
}
