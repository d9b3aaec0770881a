import { ConflictError } from "../../errors/errors.ts";
import type { RejectedMessage, Rejection, RejectionStore } from "../../ports/index.ts";
import { newestRejectionFirst } from "../order.ts";
import { rowText } from "../store-limits.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Refused messages of every cluster, and those that name no cluster. */
export class MemoryRejectionStore implements RejectionStore {
  readonly #messages = new Records<RejectedMessage>("rejection");

  async add(message: RejectedMessage): Promise<void> {
    const { cluster, rejectionId } = message.rejection;
    const key = keyFor(cluster, rejectionId);
    // In Azure the message and why it was refused are a row each.
    rowText(key, message.rejection);
    rowText(key, message.body ?? "");
    if (this.#messages.get(key) === undefined) this.#messages.put(key, message);
  }

  async list(
    cluster: string | undefined,
    limit: number,
    untilSeconds = Infinity,
  ): Promise<readonly Rejection[]> {
    const all = this.#messages.entries().map(({ stored }) => stored.value.rejection);
    return all
      .filter((rejection) => rejection.cluster === cluster && rejection.receivedAtSeconds <= untilSeconds)
      .sort(newestRejectionFirst)
      .slice(0, limit);
  }

  async load(cluster: string | undefined, rejectionId: string): Promise<RejectedMessage | undefined> {
    return this.#messages.get(keyFor(cluster, rejectionId))?.value;
  }

  async markReplayed(cluster: string | undefined, rejectionId: string, atSeconds: number): Promise<void> {
    const key = keyFor(cluster, rejectionId);
    const message = this.#messages.get(key)?.value;
    if (message === undefined) throw new ConflictError(`rejection "${rejectionId}"`);
    const rejection = { ...message.rejection, replayedAtSeconds: atSeconds };
    this.#messages.put(key, { ...message, rejection });
  }
}

function keyFor(cluster: string | undefined, rejectionId: string): string {
  return recordKey(rejectionId, ...(cluster === undefined ? [] : [cluster]));
}
