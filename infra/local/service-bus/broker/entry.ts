import type { Deadline } from "./deadlines.ts";
import type { Lock } from "./locks.ts";
import type { NewMessage, Peeked, StoredMessage } from "./message.ts";

/** A message in a queue, and what it is doing. */
export interface Entry {
  message: StoredMessage;
  phase: Peeked["phase"];
  /** Expiry while ready, activation while scheduled. */
  deadline: Deadline | undefined;
  lock: Lock<Entry> | undefined;
}

export function newEntry(message: StoredMessage): Entry {
  return { message, phase: "ready", deadline: undefined, lock: undefined };
}

/** A message as it is kept: with its number, its time, and the shorter of its own time to live and the queue's. */
export function toStored(
  incoming: NewMessage,
  {
    sequence,
    now,
    defaultTtlMs,
  }: { readonly sequence: number; readonly now: number; readonly defaultTtlMs: number },
): StoredMessage {
  const { scheduledAt, ttlMs: askedTtlMs, ...rest } = incoming;
  const ttlMs = Math.min(askedTtlMs ?? Number.POSITIVE_INFINITY, defaultTtlMs);
  return {
    ...rest,
    ...(scheduledAt !== undefined && scheduledAt > now ? { scheduledAt } : {}),
    ...(Number.isFinite(ttlMs) ? { ttlMs } : {}),
    sequence,
    enqueueSequence: sequence,
    enqueuedAt: now,
    deliveryCount: 0,
  };
}

/** Milliseconds since 1970; infinite for a message that never expires. */
export function expiryOf({ enqueuedAt, ttlMs = Number.POSITIVE_INFINITY }: StoredMessage): number {
  return enqueuedAt + ttlMs;
}
