import { randomUUID } from "node:crypto";
import type { Deadline, Deadlines } from "./deadlines.ts";
import type { Refusal } from "./message.ts";
import type { SessionLease } from "./session.ts";

/** The right to settle one message. Under a lease it ends with the lease, else at a time of its own. */
export interface Lock<Held> {
  readonly token: string;
  readonly held: Held;
  readonly lease: SessionLease | undefined;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface OwnLock<Held> extends Lock<Held> {
  until: number;
  expiry: Deadline | undefined;
}

export interface LocksOptions<Held> {
  readonly deadlines: Deadlines;
  readonly lockMs: number;
  /** Called after the lock is gone. */
  readonly expired: (held: Held) => void;
}

/** The locks of one queue by token. */
export class Locks<Held> {
  readonly #options: LocksOptions<Held>;
  readonly #locks = new Map<string, OwnLock<Held>>();

  constructor(options: LocksOptions<Held>) {
    this.#options = options;
  }

  take(held: Held, lease: SessionLease | undefined): Lock<Held> {
    const until = lease?.lockedUntil ?? 0;
    const lock: OwnLock<Held> = { token: randomUUID(), held, lease, until, expiry: undefined };
    this.#locks.set(lock.token, lock);
    if (lease === undefined) this.#extend(lock);
    return lock;
  }

  find(token: string): Lock<Held> | undefined {
    return this.#locks.get(token);
  }

  under(lease: SessionLease): readonly Lock<Held>[] {
    return [...this.#locks.values()].filter((lock) => lock.lease === lease);
  }

  /** The new ends, in the order of the tokens: of all of them or of none. */
  renew(tokens: readonly string[]): readonly number[] | Refusal {
    const locks = tokens.flatMap((token) => this.#locks.get(token) ?? []);
    if (locks.length < tokens.length) return "message-lock-lost";
    if (locks.some((lock) => lock.lease !== undefined)) return "session-lock-lost";
    return locks.map((lock) => this.#extend(lock));
  }

  release({ token }: Lock<Held>): void {
    this.#locks.get(token)?.expiry?.cancel();
    this.#locks.delete(token);
  }

  #extend(lock: OwnLock<Held>): number {
    const { deadlines, lockMs, expired } = this.#options;
    lock.expiry?.cancel();
    lock.until = deadlines.now() + lockMs;
    lock.expiry = deadlines.set(lock.until, () => {
      this.#locks.delete(lock.token);
      expired(lock.held);
    });
    return lock.until;
  }
}
