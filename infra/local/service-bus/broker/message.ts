/** A message as a producer hands it over. The payload is opaque to the broker: bytes in, bytes out. */
export interface NewMessage {
  /** Key of duplicate detection. Never empty: the parser generates one when the client sent none. */
  readonly messageId: string;
  readonly sessionId?: string;
  readonly ttlMs?: number;
  /** When it shall become visible, milliseconds since 1970; absent or past means at once. */
  readonly scheduledAt?: number;
  readonly payload: Uint8Array;
}

/** A message that a queue holds. Immutable: a changed message is a new value under the same sequence number. */
export interface StoredMessage extends NewMessage {
  readonly sequence: number;
  /** The sequence number of its first life: before it was scheduled, or dead-lettered. */
  readonly enqueueSequence: number;
  /** Milliseconds since 1970; for a scheduled message the time when it became visible. */
  readonly enqueuedAt: number;
  /** Failed deliveries so far (JavaScript's `deliveryCount`: 0 at the first delivery). */
  readonly deliveryCount: number;
}

/** A message on its way to a consumer. The lock fields are absent in receiveAndDelete mode. */
export interface Delivery {
  readonly message: StoredMessage;
  readonly lockToken?: string;
  readonly lockedUntil?: number;
}

/** A message as peek shows it: not locked by looking, whatever it is doing. */
export interface Peeked {
  readonly message: StoredMessage;
  readonly phase: "scheduled" | "ready" | "locked";
  readonly lockedUntil?: number;
}

/** Application properties to add or replace; the values are the wire format's own and opaque here. */
export type PropertyEdits = Readonly<Record<string, unknown>>;

/** What a consumer wants done with a message that it holds locked. */
export type Outcome =
  | { readonly kind: "complete" }
  | { readonly kind: "abandon"; readonly edits?: PropertyEdits }
  /** Back as if it had never been delivered: the count stays. */
  | { readonly kind: "release" }
  | { readonly kind: "dead-letter"; readonly edits: PropertyEdits };

/** Why the broker says no. These are answers, not exceptions. */
export type Refusal =
  | "message-lock-lost"
  | "session-lock-lost"
  | "session-cannot-be-locked"
  | "session-id-missing"
  | "session-required"
  | "session-not-supported"
  | "dead-letter-not-supported";

/** A receiver as the broker sees it, without its socket or link. */
export interface Consumer {
  readonly mode: "peek-lock" | "receive-and-delete";
  /** How many messages it takes right now. */
  credit(): number;
  /** Called at most `credit()` times in a row. */
  deliver(delivery: Delivery): void;
  /** Its session lock ran out: nothing that it holds is its own any more. */
  lost(): void;
}
