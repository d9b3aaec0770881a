import type { Deadline, Deadlines } from "./deadlines.ts";
import type { Lane } from "./lane.ts";
import type { Consumer, Refusal } from "./message.ts";

/** What sessions need from their queue. */
export interface SessionHost {
  readonly deadlines: Deadlines;
  readonly lockMs: number;
  newLane(): Lane;
  /** Delivers what is ready in the lane. */
  pump(lane: Lane): void;
  /** Makes everything that the lease holds locked ready again; `failed` counts it as a failed delivery. */
  giveBack(lease: SessionLease, options: { readonly failed: boolean }): void;
}

interface Session {
  readonly id: string;
  readonly lane: Lane;
  lease: SessionLease | undefined;
}

interface Waiter {
  readonly consumer: Consumer;
  readonly answer: (lease: SessionLease | undefined) => void;
  readonly deadline: Deadline;
}

/**
 * The exclusive right of one consumer to one session. It ends by `release`, or when its lock runs out; after
 * that every operation answers "session-lock-lost".
 */
export class SessionLease {
  readonly sessionId: string;
  readonly consumer: Consumer;
  readonly #sessions: Sessions;
  /** Milliseconds since 1970. */
  lockedUntil: number;

  constructor(sessions: Sessions, options: { sessionId: string; consumer: Consumer; lockedUntil: number }) {
    this.#sessions = sessions;
    this.sessionId = options.sessionId;
    this.consumer = options.consumer;
    this.lockedUntil = options.lockedUntil;
  }

  /** The new end of the lock, milliseconds since 1970. */
  renew(): number | Refusal {
    return this.#sessions.renew(this) ? this.lockedUntil : "session-lock-lost";
  }

  /** Frees the session and its messages at once; their delivery count stays as it is. */
  release(): void {
    this.#sessions.end(this, { failed: false });
  }
}

/** The sessions of one queue: who holds which, and who waits for the next one. */
export class Sessions {
  readonly #host: SessionHost;
  readonly #sessions = new Map<string, Session>();
  readonly #expiries = new Map<SessionLease, Deadline>();
  #waiters: readonly Waiter[] = [];

  constructor(host: SessionHost) {
    this.#host = host;
  }

  lane(id: string): Lane {
    return this.#session(id).lane;
  }

  leaseOf(id: string): SessionLease | undefined {
    return this.#sessions.get(id)?.lease;
  }

  /** Locks the session of that name, which need not have messages. */
  accept(id: string, consumer: Consumer): SessionLease | Refusal {
    this.#host.deadlines.runDue();
    const session = this.#session(id);
    return session.lease === undefined ? this.#grant(session, consumer) : "session-cannot-be-locked";
  }

  /**
   * Locks the free session whose first message is the oldest, or waits until there is one. `answer` is called
   * exactly once, with nothing when the time is over; the returned function gives up waiting without an answer.
   */
  acceptNext(
    consumer: Consumer,
    options: { readonly waitMs: number; readonly answer: (lease: SessionLease | undefined) => void },
  ): () => void {
    const { deadlines } = this.#host;
    deadlines.runDue();
    const free = this.#oldestFree();
    if (free !== undefined) {
      options.answer(this.#grant(free, consumer));
      return () => {};
    }
    const deadline = deadlines.set(deadlines.now() + options.waitMs, () => {
      this.#forget(waiter);
      options.answer(undefined);
    });
    const waiter: Waiter = { consumer, answer: options.answer, deadline };
    this.#waiters = [...this.#waiters, waiter];
    return () => this.#forget(waiter);
  }

  /** Something became ready in this session: its holder gets it, or the session goes to the receiver that waits longest. */
  wake(id: string): void {
    const session = this.#session(id);
    if (session.lease !== undefined) {
      this.#host.pump(session.lane);
      return;
    }
    const waiter = this.#waiters[0];
    if (waiter === undefined || session.lane.head() === undefined) return;
    this.#forget(waiter);
    waiter.answer(this.#grant(session, waiter.consumer));
  }

  /** False: this lease does not hold its session any more. */
  renew(lease: SessionLease): boolean {
    this.#host.deadlines.runDue();
    if (this.#sessions.get(lease.sessionId)?.lease !== lease) return false;
    this.#lockAgain(lease);
    return true;
  }

  end(lease: SessionLease, options: { readonly failed: boolean }): void {
    const session = this.#sessions.get(lease.sessionId);
    if (session?.lease !== lease) return;
    session.lease = undefined;
    session.lane.leave(lease.consumer);
    this.#expiries.get(lease)?.cancel();
    this.#expiries.delete(lease);
    this.#host.giveBack(lease, options);
    this.wake(session.id);
    this.#tidy(session);
  }

  #session(id: string): Session {
    const open = this.#sessions.get(id);
    if (open !== undefined) return open;
    const session: Session = { id, lane: this.#host.newLane(), lease: undefined };
    this.#sessions.set(id, session);
    return session;
  }

  /** Session ids may be unique per job or per hour: an empty, free session leaves no trace. */
  #tidy(session: Session): void {
    const isEmpty = session.lane.head() === undefined;
    if (isEmpty && session.lease === undefined) this.#sessions.delete(session.id);
  }

  #grant(session: Session, consumer: Consumer): SessionLease {
    const lease = new SessionLease(this, { sessionId: session.id, consumer, lockedUntil: 0 });
    session.lease = lease;
    this.#lockAgain(lease);
    session.lane.join(consumer);
    this.#host.pump(session.lane);
    return lease;
  }

  #lockAgain(lease: SessionLease): void {
    const { deadlines, lockMs } = this.#host;
    this.#expiries.get(lease)?.cancel();
    lease.lockedUntil = deadlines.now() + lockMs;
    const expiry = deadlines.set(lease.lockedUntil, () => {
      this.end(lease, { failed: true });
      lease.consumer.lost();
    });
    this.#expiries.set(lease, expiry);
  }

  #forget(waiter: Waiter): void {
    waiter.deadline.cancel();
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
  }

  #oldestFree(): Session | undefined {
    let oldest: { readonly session: Session; readonly head: number } | undefined;
    for (const session of this.#sessions.values()) {
      const head = session.lease === undefined ? session.lane.head() : undefined;
      if (head !== undefined && (oldest === undefined || head < oldest.head)) oldest = { session, head };
    }
    return oldest?.session;
  }
}
