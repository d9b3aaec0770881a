import { Broker, deadLetterSuffix } from "../../../../../infra/local/service-bus/broker/broker.ts";
import type { Clock } from "../../../../../infra/local/service-bus/broker/clock.ts";
import type { JournalRecord } from "../../../../../infra/local/service-bus/broker/journal.ts";
import type {
  Consumer,
  Delivery,
  NewMessage,
} from "../../../../../infra/local/service-bus/broker/message.ts";
import type { Queue, QueueSettings } from "../../../../../infra/local/service-bus/broker/queue.ts";

/** A clock that only moves when a test says so; wake-ups run in the order of their times. */
class VirtualClock implements Clock {
  #now = 1_000_000;
  #wakes: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  wakeAt(at: number, wake: () => void): () => void {
    const entry = { at, wake };
    this.#wakes.push(entry);
    return () => {
      this.#wakes = this.#wakes.filter((other) => other !== entry);
    };
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#wakes = this.#wakes.filter((other) => other !== next);
      next.wake();
    }
    this.#now = end;
  }

  get armed(): number {
    return this.#wakes.length;
  }

  #due(end: number) {
    return this.#wakes.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** A consumer that remembers what it got. */
export class Inbox implements Consumer {
  readonly mode: Consumer["mode"];
  readonly deliveries: Delivery[] = [];
  room: number;
  lostSessions = 0;

  constructor(options: { readonly room?: number; readonly mode?: Consumer["mode"] } = {}) {
    this.room = options.room ?? 100;
    this.mode = options.mode ?? "peek-lock";
  }

  credit(): number {
    return this.room;
  }

  deliver(delivery: Delivery): void {
    this.room--;
    this.deliveries.push(delivery);
  }

  lost(): void {
    this.lostSessions++;
  }

  /** Texts of everything delivered so far. */
  get texts(): readonly string[] {
    return this.deliveries.map(({ message }) => textOf(message.payload));
  }

  /** Failed deliveries that each delivery told of. */
  get counts(): readonly number[] {
    return this.deliveries.map(({ message }) => message.deliveryCount);
  }

  /** The lock token of the latest delivery, or of the one at `index`. */
  token(index = -1): string {
    return this.deliveries.at(index)?.lockToken ?? "no lock";
  }
}

export const lockMs = 1000;

const plain: QueueSettings = {
  name: "work",
  lockMs,
  maxDeliveryCount: 3,
  defaultTtlMs: 3_600_000,
  deadLetterExpired: false,
  requiresSession: false,
};

/** A broker with one queue, its journal and its clock. Payloads are JSON: a text and properties. */
export interface World {
  readonly clock: VirtualClock;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly broker: Broker;
  readonly journal: readonly JournalRecord[];
  /** A broker in the state that this one's journal, or other records, bring back. */
  restarted(records?: Iterable<JournalRecord>): World;
}

export function world(settings: Partial<QueueSettings> = {}, clock = new VirtualClock()): World {
  const journal: JournalRecord[] = [];
  const queues = [{ ...plain, ...settings }];
  const broker = new Broker({ queues, clock, append: (record) => journal.push(record), edit });
  return {
    clock,
    broker,
    journal,
    queue: queueOf(broker, plain.name),
    deadLetters: queueOf(broker, plain.name + deadLetterSuffix),
    restarted(records = journal) {
      const next = world(settings, clock);
      next.broker.restore(records);
      return next;
    },
  };
}

export function text(value: string, extra: Partial<NewMessage> = {}): NewMessage {
  return { messageId: `id-${value}`, payload: Buffer.from(JSON.stringify({ text: value })), ...extra };
}

function textOf(payload: Uint8Array): string {
  return JSON.parse(Buffer.from(payload).toString()).text;
}

/** What peek shows, as "text phase". */
export function contents(queue: Queue): readonly string[] {
  return [...queue.peek({ from: 0 })].map(({ message, phase }) => `${textOf(message.payload)} ${phase}`);
}

function edit(payload: Uint8Array, edits: Readonly<Record<string, unknown>>): Uint8Array {
  return Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload).toString()), ...edits }));
}

function queueOf(broker: Broker, name: string): Queue {
  const queue = broker.queue(name);
  if (queue === undefined) throw new Error(`No queue "${name}"`);
  return queue;
}
