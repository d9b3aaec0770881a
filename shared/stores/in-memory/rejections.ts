import type { Rejection, RejectionStore } from "../../ports.ts";
import { newestRejectionFirst } from "../order.ts";
import { keyOf, Records } from "./records.ts";

/** Refused messages of every cluster, and of none. */
export class MemoryRejectionStore implements RejectionStore {
  readonly #rejections = new Records<Rejection>("rejection");

  async add(rejection: Rejection): Promise<void> {
    const cluster = rejection.cluster === undefined ? [] : [rejection.cluster];
    const key = keyOf(rejection.rejectionId, ...cluster);
    if (this.#rejections.get(key) === undefined) this.#rejections.put(key, rejection);
  }

  async list(cluster: string | undefined, limit: number): Promise<readonly Rejection[]> {
    const all = this.#rejections.entries().map(({ stored }) => stored.value);
    return all
      .filter((rejection) => rejection.cluster === cluster)
      .sort(newestRejectionFirst)
      .slice(0, limit);
  }
}
