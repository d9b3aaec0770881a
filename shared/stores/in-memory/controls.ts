import type { ClusterControl, ControlStore, IfMatch, Stored } from "../../ports.ts";
import { Records } from "./records.ts";

/** What was decided about each cluster. */
export class MemoryControlStore implements ControlStore {
  readonly #controls = new Records<ClusterControl>("control");

  async load(cluster: string): Promise<Stored<ClusterControl> | undefined> {
    return this.#controls.get(cluster);
  }

  async save(control: ClusterControl, ifMatch: IfMatch): Promise<void> {
    this.#controls.save(control.cluster, control, ifMatch);
  }
}
