import type { Clock } from "./clock.ts";
import { Deadlines } from "./deadlines.ts";
import type { Append, JournalRecord } from "./journal.ts";
import type { PropertyEdits } from "./message.ts";
import { Queue, type QueueSettings } from "./queue.ts";

/** How the SDK spells the sub-queue of messages that could not be processed. */
export const deadLetterSuffix = "/$DeadLetterQueue";

export interface BrokerOptions {
  readonly queues: readonly QueueSettings[];
  readonly clock: Clock;
  readonly append: Append;
  readonly edit: (payload: Uint8Array, edits: PropertyEdits) => Uint8Array;
}

/** All queues with their dead-letter queues, found by name whatever its case. Knows no protocol and no file. */
export class Broker {
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #deadlines: Deadlines;

  constructor(options: BrokerOptions) {
    this.#deadlines = new Deadlines(options.clock);
    const parts = { deadlines: this.#deadlines, append: options.append, edit: options.edit };
    const queues = options.queues.flatMap((settings) => {
      // First in the list, so that it is resumed before anything can expire into it.
      const deadLetters = new Queue(deadLetterSettings(settings), parts);
      return [deadLetters, new Queue(settings, { ...parts, deadLetters })];
    });
    this.#queues = new Map(queues.map((queue) => [key(queue.settings.name), queue]));
  }

  queue(name: string): Queue | undefined {
    return this.#queues.get(key(name));
  }

  /** Takes the journal of an earlier run back in. Records of queues that are no longer configured are skipped. */
  restore(records: Iterable<JournalRecord>): void {
    for (const record of records) this.queue(record.queue)?.restore(record);
    for (const queue of this.#queues.values()) queue.resume();
  }

  *snapshot(): Iterable<JournalRecord> {
    for (const queue of this.#queues.values()) yield* queue.snapshot();
  }

  close(): void {
    this.#deadlines.close();
  }
}

/** A dead-letter queue keeps what it has: no sessions, no expiry, and no limit of deliveries. */
function deadLetterSettings(settings: QueueSettings): QueueSettings {
  return {
    name: settings.name + deadLetterSuffix,
    lockMs: settings.lockMs,
    maxDeliveryCount: Number.POSITIVE_INFINITY,
    defaultTtlMs: Number.POSITIVE_INFINITY,
    deadLetterExpired: false,
    requiresSession: false,
  };
}

function key(name: string): string {
  return name.toLowerCase();
}
