import type { FaultSource } from "./faults.ts";
import type { Fleet, Machine, Outcome, Run } from "./fleet.ts";
import type { Timeline } from "./timeline.ts";

/** A message of one session, as the broker sees it. */
export interface SessionMessage {
  readonly session: string;
  readonly messageId: string;
  readonly body: unknown;
  /** Seconds from now until it may be delivered, and until it is dead. */
  readonly delaySeconds?: number;
  readonly ttlSeconds?: number;
}

export interface DeadMessage {
  readonly messageId: string;
  readonly body: unknown;
  readonly reason: string;
  readonly attempts: number;
}

export interface SessionQueueOptions {
  readonly name: string;
  readonly duplicateWindowSeconds: number;
  readonly maxDeliveryCount: number;
  /** Sessions that all machines together work on at a time, and each keeps its own while it has messages; any number when left out. */
  readonly mostSessions?: number | undefined;
  readonly receive: (run: Run, body: unknown) => Promise<unknown>;
  readonly receiveDead: (run: Run, message: DeadMessage) => Promise<unknown>;
}

interface Waiting extends SessionMessage {
  readonly order: number;
  readonly diesAtSeconds: number;
  deliveries: number;
}

interface Session {
  messages: Waiting[];
  /** Whose lock it is: an ended run that has lost it settles nothing. */
  lock: number | undefined;
  /** Whose turn ended last, and when. */
  last: { readonly machine: Machine; readonly atSeconds: number } | undefined;
  stalledUntilSeconds: number;
}

const lockSeconds = 60;
/** How long a machine keeps a session without messages: `sessionIdleTimeout` of host.json. */
const idleSeconds = 2;
const defaultTtlSeconds = 3_600;

/**
 * A Service Bus queue with sessions, and its trigger: in order within a session, one receiver at a time as long as the
 * lock holds, repeated message ids dropped within a window, a dead-letter queue that is watched.
 */
export class SessionQueue {
  readonly #parts: { readonly timeline: Timeline; readonly fleet: Fleet; readonly faults: FaultSource };
  readonly #options: SessionQueueOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #seen = new Map<string, number>();
  readonly #dying = new Set<string>();
  readonly dead: DeadMessage[] = [];
  /** Sessions that are worked on, and those that wait for a machine with room, the longest first. */
  readonly #held = new Set<Session>();
  readonly #unheld = new Set<Session>();
  #order = 0;
  #locks = 0;

  constructor(
    parts: { readonly timeline: Timeline; readonly fleet: Fleet; readonly faults: FaultSource },
    options: SessionQueueOptions,
  ) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Messages that are not done with; scheduled and dead ones included. */
  get waiting(): number {
    const live = [...this.#sessions.values()].reduce((sum, session) => sum + session.messages.length, 0);
    return live + this.#scheduled + this.#dying.size;
  }

  #scheduled = 0;

  send(message: SessionMessage): void {
    const { timeline, faults } = this.#parts;
    const now = timeline.nowSeconds;
    const seenAt = this.#seen.get(message.messageId);
    if (seenAt !== undefined && now - seenAt < this.#options.duplicateWindowSeconds) return;
    this.#seen.set(message.messageId, now);
    const late = faults.at(`${this.#options.name} queue`, ["late"])?.seconds ?? 0;
    this.#scheduled += 1;
    timeline.after(message.delaySeconds ?? 0, () => {
      this.#scheduled -= 1;
      this.#order += 1;
      const session = this.#session(message.session);
      const diesAtSeconds = now + (message.ttlSeconds ?? defaultTtlSeconds) + (message.delaySeconds ?? 0);
      session.messages.push({ ...message, order: this.#order, diesAtSeconds, deliveries: 0 });
      // Order is kept, so whatever is late holds up what comes behind it.
      session.stalledUntilSeconds = Math.max(session.stalledUntilSeconds, timeline.nowSeconds + late);
      timeline.after(session.stalledUntilSeconds - timeline.nowSeconds, () => this.#pump(session));
    });
  }

  #session(name: string): Session {
    const session = this.#sessions.get(name) ?? {
      messages: [],
      lock: undefined,
      last: undefined,
      stalledUntilSeconds: 0,
    };
    this.#sessions.set(name, session);
    return session;
  }

  #pump(session: Session): void {
    if (session.lock !== undefined) return;
    if (session.stalledUntilSeconds > this.#parts.timeline.nowSeconds) return;
    if (this.#held.size >= (this.#options.mostSessions ?? Number.POSITIVE_INFINITY)) {
      this.#unheld.add(session);
      return;
    }
    const message = this.#nextAlive(session);
    if (message === undefined) return;
    this.#held.add(session);
    const { timeline, fleet, faults } = this.#parts;
    this.#locks += 1;
    const lock = this.#locks;
    session.lock = lock;
    message.deliveries += 1;
    const fault = faults.at(`${this.#options.name} delivery`, ["lock-lost", "done-twice"]);
    const run = fleet.start(
      `${this.#options.name} ${message.messageId}`,
      (started) => this.#options.receive(started, message.body),
      (outcome) =>
        this.#settle(session, { lock, message, outcome, isForgotten: fault?.kind === "done-twice" }),
      this.#holderOf(session),
    );
    session.last = { machine: run.machine, atSeconds: timeline.nowSeconds };
    if (fault?.kind === "lock-lost") timeline.after(fault.seconds / 8, () => this.#unlock(session, lock));
    // A lock is renewed as long as its holder lives.
    const expire = () => {
      if (session.lock !== lock) return;
      if (run.isDead) this.#unlock(session, lock);
      else timeline.after(lockSeconds, expire);
    };
    timeline.after(lockSeconds, expire);
  }

  /** Only the holder of the lock settles; `isForgotten`: the broker never heard of it, and delivers once more. */
  #settle(
    session: Session,
    settled: {
      readonly lock: number;
      readonly message: Waiting;
      readonly outcome: Outcome;
      readonly isForgotten: boolean;
    },
  ): void {
    const { lock, message, outcome, isForgotten } = settled;
    if (session.lock !== lock) return;
    const isDone = outcome.error === undefined && !isForgotten;
    if (isDone) session.messages = session.messages.filter((each) => each !== message);
    this.#unlock(session, lock);
  }

  #unlock(session: Session, lock: number): void {
    if (session.lock !== lock) return;
    session.lock = undefined;
    if (session.last !== undefined)
      session.last = { ...session.last, atSeconds: this.#parts.timeline.nowSeconds };
    this.#held.delete(session);
    const [next] = this.#unheld;
    if (next !== undefined) {
      this.#unheld.delete(next);
      this.#pump(next);
    }
    this.#parts.timeline.after(0.05, () => this.#pump(session));
  }

  /** Undefined: any machine. */
  #holderOf({ last }: Session): Machine | undefined {
    if (this.#options.mostSessions === undefined || last === undefined) return undefined;
    return this.#parts.timeline.nowSeconds - last.atSeconds <= idleSeconds ? last.machine : undefined;
  }

  #nextAlive(session: Session): Waiting | undefined {
    for (const message of [...session.messages]) {
      const isExpired = message.diesAtSeconds <= this.#parts.timeline.nowSeconds;
      const isSpent = message.deliveries >= this.#options.maxDeliveryCount;
      if (!isExpired && !isSpent) return message;
      session.messages = session.messages.filter((each) => each !== message);
      this.#bury(message, isSpent ? "MaxDeliveryCountExceeded" : "TTLExpiredException");
    }
    return undefined;
  }

  #bury({ messageId, body, deliveries }: Waiting, reason: string): void {
    const dead: DeadMessage = {
      messageId: `${this.#options.name}/${messageId}`,
      body,
      reason,
      attempts: deliveries,
    };
    this.dead.push(dead);
    this.#dying.add(dead.messageId);
    this.#deliverDead(dead);
  }

  #deliverDead(dead: DeadMessage): void {
    const { timeline, fleet } = this.#parts;
    const end = ({ error }: Outcome) => {
      if (error === undefined) this.#dying.delete(dead.messageId);
      else timeline.after(1, () => this.#deliverDead(dead));
    };
    const run = fleet.start(
      `dead ${dead.messageId}`,
      (started) => this.#options.receiveDead(started, dead),
      end,
    );
    const check = () => {
      if (run.isDead) this.#deliverDead(dead);
      else if (!run.isOver) timeline.after(lockSeconds, check);
    };
    timeline.after(lockSeconds, check);
  }
}
