import { type QueueClient, RestError } from "@azure/storage-queue";
import { UpstreamError } from "../../errors/errors.ts";
import { claimedOrigin, decodeQueueText } from "../../messages/index.ts";
import type { UnreadDemand } from "../../ports/index.ts";
import { toUpstream } from "./sdk-errors.ts";

/** The most that Azure shows at once. */
const mostPeeked = 32;

/**
 * Azure's approximate count includes hidden messages, and is never lower than the actual number. A queue that does not exist
 * holds nothing.
 */
export class StorageUnreadDemand implements UnreadDemand {
  readonly #queue: QueueClient;
  readonly #poison: QueueClient;

  constructor(queues: { readonly queue: QueueClient; readonly poison: QueueClient }) {
    this.#queue = queues.queue;
    this.#poison = queues.poison;
  }

  async count(): Promise<number> {
    // The poison queue last: a message moved there in between is counted twice, not missed.
    const unread = await countIn(this.#queue);
    return unread + (await countIn(this.#poison));
  }

  async showsAnyOf(cluster: string): Promise<boolean> {
    const peeked = await ifThere(this.#queue, "look into", () =>
      this.#queue.peekMessages({ numberOfMessages: mostPeeked }),
    );
    const messages = peeked?.peekedMessageItems ?? [];
    return messages.some(
      ({ messageText }) => claimedOrigin(decodeQueueText(messageText)).cluster === cluster,
    );
  }
}

async function countIn(queue: QueueClient): Promise<number> {
  const properties = await ifThere(queue, "count messages of", () => queue.getProperties());
  if (properties === undefined) return 0;
  const { approximateMessagesCount: count } = properties;
  if (count === undefined)
    throw new UpstreamError(`Cannot count messages of queue "${queue.name}": no count`, { retryable: true });
  return count;
}

/** Undefined when there is no such queue. */
async function ifThere<T>(queue: QueueClient, call: string, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RestError && error.code === "QueueNotFound") return undefined;
    throw toUpstream(`${call} queue "${queue.name}"`, error);
  }
}
