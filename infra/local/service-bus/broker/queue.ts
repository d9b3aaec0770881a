import type { Deadlines } from "./deadlines.ts";
import { DuplicateWindow } from "./duplicates.ts";
import { type Entry, expiryOf, newEntry, toStored } from "./entry.ts";
import type { Append, JournalRecord } from "./journal.ts";
import { Lane } from "./lane.ts";
import { type Lock, Locks } from "./locks.ts";
import type {
  Consumer,
  NewMessage,
  Outcome,
  Peeked,
  PropertyEdits,
  Refusal,
  StoredMessage,
} from "./message.ts";
import { type SessionLease, Sessions } from "./session.ts";

/** How one queue behaves; every duration in milliseconds. */
export interface QueueSettings {
  readonly name: string;
  readonly lockMs: number;
  readonly maxDeliveryCount: number;
  readonly defaultTtlMs: number;
  readonly deadLetterExpired: boolean;
  readonly requiresSession: boolean;
  /** Length of the duplicate window; absent means that duplicates are not looked for. */
  readonly duplicateWindowMs?: number;
}

export interface QueueParts {
  readonly deadlines: Deadlines;
  readonly append: Append;
  /** Sets application properties in a payload, which the broker itself cannot read. */
  readonly edit: (payload: Uint8Array, edits: PropertyEdits) => Uint8Array;
  /** Where bad messages go; a dead-letter queue itself has none. */
  readonly deadLetters?: Queue;
}

/** One queue: messages in the order of their sequence numbers, their locks, and what becomes of them. */
export class Queue {
  readonly settings: QueueSettings;
  /** Present exactly when the queue requires sessions. */
  readonly sessions: Sessions | undefined;
  readonly deadLetters: Queue | undefined;
  readonly #parts: QueueParts;
  readonly #entries = new Map<number, Entry>();
  readonly #locks: Locks<Entry>;
  readonly #lane: Lane;
  readonly #duplicates: DuplicateWindow | undefined;
  #sequence = 0;

  constructor(settings: QueueSettings, parts: QueueParts) {
    this.settings = settings;
    this.deadLetters = parts.deadLetters;
    this.#parts = parts;
    this.#lane = this.#newLane();
    this.#locks = new Locks({
      deadlines: parts.deadlines,
      lockMs: settings.lockMs,
      expired: (entry) => this.#lockExpired(entry),
    });
    if (settings.duplicateWindowMs !== undefined) {
      this.#duplicates = new DuplicateWindow(settings.duplicateWindowMs);
    }
    this.sessions = settings.requiresSession ? this.#newSessions() : undefined;
  }

  /**
   * Takes all of the messages or none; answers with their sequence numbers. A duplicate is accepted, dropped,
   * and answered with a number that belongs to no message.
   */
  send(messages: readonly NewMessage[]): readonly number[] | Refusal {
    this.#parts.deadlines.runDue();
    if (this.sessions !== undefined && messages.some((message) => message.sessionId === undefined)) {
      return "session-id-missing";
    }
    return messages.map((message) => this.#admit(message));
  }

  /** Lets a consumer take from a queue without sessions. Leaving keeps its locks until they run out. */
  attach(consumer: Consumer): { leave(): void } {
    this.#lane.join(consumer);
    return { leave: () => this.#lane.leave(consumer) };
  }

  /** Call it when a consumer has got credit. */
  pump(sessionId?: string): void {
    this.#parts.deadlines.runDue();
    if (this.sessions === undefined) this.#pump(this.#lane);
    else if (sessionId !== undefined) this.sessions.wake(sessionId);
  }

  settle(lockToken: string, outcome: Outcome): Refusal | undefined {
    this.#parts.deadlines.runDue();
    const lock = this.#locks.find(lockToken);
    if (lock === undefined) return this.sessions === undefined ? "message-lock-lost" : "session-lock-lost";
    if (outcome.kind === "dead-letter" && this.deadLetters === undefined) return "dead-letter-not-supported";
    const entry = this.#unlock(lock);
    switch (outcome.kind) {
      case "complete":
        this.#remove(entry);
        break;
      case "abandon":
        this.#fail(entry, outcome.edits);
        this.#wake(entry);
        break;
      case "release":
        this.#place(entry);
        this.#wake(entry);
        break;
      case "dead-letter":
        this.#deadLetter(entry, outcome.edits);
        break;
    }
    return undefined;
  }

  /** The new ends of the locks (milliseconds since 1970), in the order of the tokens. */
  renew(lockTokens: readonly string[]): readonly number[] | Refusal {
    this.#parts.deadlines.runDue();
    return this.#locks.renew(lockTokens);
  }

  /** Messages from a sequence number on, whatever they are doing; `sessionId` narrows it to one session. */
  *peek(options: { readonly from: number; readonly sessionId?: string }): Iterable<Peeked> {
    this.#parts.deadlines.runDue();
    for (const { message, phase, lock } of this.#entries.values()) {
      if (message.sequence < options.from) continue;
      if (options.sessionId !== undefined && message.sessionId !== options.sessionId) continue;
      const lockedUntil = lock?.lease?.lockedUntil ?? lock?.until;
      yield lockedUntil === undefined ? { message, phase } : { message, phase, lockedUntil };
    }
  }

  /** Takes one fact of the journal back in; call `resume` after the last one. */
  restore(record: JournalRecord): void {
    switch (record.op) {
      case "put": {
        const { message } = record;
        this.#entries.set(message.sequence, newEntry(message));
        this.#sequence = Math.max(this.#sequence, message.sequence);
        break;
      }
      case "drop":
        this.#entries.delete(record.sequence);
        break;
      case "seen":
        this.#duplicates?.add(record.messageId, record.at);
        break;
      case "sequence":
        this.#sequence = Math.max(this.#sequence, record.sequence);
        break;
    }
  }

  /** Starts the clocks of what `restore` brought back. Nothing is locked after a restart. */
  resume(): void {
    for (const entry of [...this.#entries.values()]) this.#place(entry);
  }

  /** The shortest journal that restores this queue. */
  *snapshot(): Iterable<JournalRecord> {
    const queue = this.settings.name;
    yield { op: "sequence", queue, sequence: this.#sequence };
    for (const [messageId, at] of this.#duplicates?.entries(this.#parts.deadlines.now()) ?? []) {
      yield { op: "seen", queue, messageId, at };
    }
    for (const { message } of this.#entries.values()) yield { op: "put", queue, message };
  }

  #admit(incoming: NewMessage): number {
    const now = this.#parts.deadlines.now();
    const sequence = ++this.#sequence;
    if (this.#isDuplicate(incoming.messageId, now)) return sequence;
    const message = toStored(incoming, { sequence, now, defaultTtlMs: this.settings.defaultTtlMs });
    this.#enter(message);
    return sequence;
  }

  #isDuplicate(messageId: string, now: number): boolean {
    if (this.#duplicates === undefined) return false;
    if (this.#duplicates.has(messageId, now)) return true;
    this.#duplicates.add(messageId, now);
    this.#parts.append({ op: "seen", queue: this.settings.name, messageId, at: now });
    return false;
  }

  #enter(message: StoredMessage): void {
    const entry = newEntry(message);
    this.#entries.set(message.sequence, entry);
    this.#parts.append({ op: "put", queue: this.settings.name, message });
    this.#place(entry);
    this.#wake(entry);
  }

  /** Puts an entry where its message belongs now: waiting for its time, expired, or ready in its lane. */
  #place(entry: Entry): void {
    const { deadlines } = this.#parts;
    const { message } = entry;
    if (message.scheduledAt !== undefined) {
      entry.phase = "scheduled";
      entry.deadline = deadlines.set(message.scheduledAt, () => this.#activate(entry));
      return;
    }
    const expiresAt = expiryOf(message);
    if (expiresAt <= deadlines.now()) {
      this.#expire(entry);
      return;
    }
    entry.phase = "ready";
    if (Number.isFinite(expiresAt)) entry.deadline = deadlines.set(expiresAt, () => this.#expire(entry));
    this.#laneOf(message).add(message.sequence);
  }

  /** A scheduled message goes to the end of the queue under a new number, as if it had been sent now. */
  #activate(entry: Entry): void {
    const { scheduledAt: _, ...message } = entry.message;
    this.#enter({ ...message, sequence: ++this.#sequence, enqueuedAt: this.#parts.deadlines.now() });
    this.#remove(entry);
  }

  #expire(entry: Entry): void {
    if (this.settings.deadLetterExpired && this.deadLetters !== undefined) {
      this.#deadLetter(entry, {
        DeadLetterReason: "TTLExpiredException",
        DeadLetterErrorDescription: "The message expired and was dead lettered.",
      });
    } else this.#remove(entry);
  }

  /** One more delivery that came to nothing. */
  #fail(entry: Entry, edits?: PropertyEdits): void {
    const { maxDeliveryCount } = this.settings;
    const deliveryCount = entry.message.deliveryCount + 1;
    const payload =
      edits === undefined ? entry.message.payload : this.#parts.edit(entry.message.payload, edits);
    entry.message = { ...entry.message, deliveryCount, payload };
    if (deliveryCount >= maxDeliveryCount && this.deadLetters !== undefined) {
      this.#deadLetter(entry, {
        DeadLetterReason: "MaxDeliveryCountExceeded",
        DeadLetterErrorDescription: `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`,
      });
      return;
    }
    this.#parts.append({ op: "put", queue: this.settings.name, message: entry.message });
    this.#place(entry);
  }

  #deadLetter(entry: Entry, edits: PropertyEdits): void {
    const payload = this.#parts.edit(entry.message.payload, edits);
    // Written before the original is dropped: a kill in between may repeat the message, but never lose it.
    this.deadLetters?.adopt({ ...entry.message, payload });
    this.#remove(entry);
  }

  /** Takes over a message of another queue. In a dead-letter queue nothing expires. */
  adopt(message: StoredMessage): void {
    const { ttlMs: _, ...immortal } = message;
    this.#enter({ ...immortal, sequence: ++this.#sequence });
  }

  #remove(entry: Entry): void {
    entry.deadline?.cancel();
    this.#entries.delete(entry.message.sequence);
    this.#parts.append({ op: "drop", queue: this.settings.name, sequence: entry.message.sequence });
  }

  #wake({ message }: Entry): void {
    if (this.sessions === undefined) this.#pump(this.#lane);
    else this.sessions.wake(message.sessionId ?? "");
  }

  #pump(lane: Lane): void {
    for (let sequence = lane.head(); sequence !== undefined; sequence = lane.head()) {
      const consumer = lane.nextConsumer();
      const entry = this.#entries.get(sequence);
      if (consumer === undefined || entry === undefined) return;
      lane.shift();
      this.#deliver(entry, consumer);
    }
  }

  #deliver(entry: Entry, consumer: Consumer): void {
    entry.deadline?.cancel();
    if (consumer.mode === "receive-and-delete") {
      this.#remove(entry);
      consumer.deliver({ message: entry.message });
      return;
    }
    const lock = this.#locks.take(entry, this.sessions?.leaseOf(entry.message.sessionId ?? ""));
    entry.phase = "locked";
    entry.lock = lock;
    consumer.deliver({ message: entry.message, lockToken: lock.token, lockedUntil: lock.until });
  }

  #unlock(lock: Lock<Entry>): Entry {
    this.#locks.release(lock);
    lock.held.lock = undefined;
    return lock.held;
  }

  #lockExpired(entry: Entry): void {
    entry.lock = undefined;
    this.#fail(entry);
    this.#wake(entry);
  }

  #giveBack(lease: SessionLease, { failed }: { readonly failed: boolean }): void {
    for (const lock of this.#locks.under(lease)) {
      const entry = this.#unlock(lock);
      if (failed) this.#fail(entry);
      else this.#place(entry);
    }
  }

  #laneOf(message: StoredMessage): Lane {
    return this.sessions?.lane(message.sessionId ?? "") ?? this.#lane;
  }

  #newLane(): Lane {
    return new Lane((sequence) => this.#entries.get(sequence)?.phase === "ready");
  }

  #newSessions(): Sessions {
    return new Sessions({
      deadlines: this.#parts.deadlines,
      lockMs: this.settings.lockMs,
      newLane: () => this.#newLane(),
      pump: (lane) => this.#pump(lane),
      giveBack: (lease, options) => this.#giveBack(lease, options),
    });
  }
}
