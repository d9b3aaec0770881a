import type { IfMatch, RequestSet, Stored, TargetStore } from "../../ports/index.ts";
import { byRequestSet } from "../order.ts";
import { keyOf, Records } from "./records.ts";

/** Targets per request set. */
export class MemoryTargetStore implements TargetStore {
  readonly #sets = new Records<RequestSet>("targets");

  async list(cluster: string): Promise<readonly RequestSet[]> {
    const all = this.#sets.entries().map(({ stored }) => stored.value);
    return all.filter((requested) => requested.cluster === cluster).sort(byRequestSet);
  }

  async load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined> {
    return this.#sets.get(keyOf(cluster, requestSet));
  }

  async save(requested: RequestSet, ifMatch: IfMatch): Promise<void> {
    this.#sets.save(keyOf(requested.cluster, requested.requestSet), requested, ifMatch);
  }

  async remove(cluster: string, requestSet: string): Promise<void> {
    this.#sets.delete(keyOf(cluster, requestSet));
  }
}
