/**
 * The message ids of the last `windowMs`. All entries live equally long, so the map's insertion order is their
 * order of expiry and the oldest ones are dropped from the front.
 */
export class DuplicateWindow {
  readonly #windowMs: number;
  readonly #seenAt = new Map<string, number>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** True when the id is in the window at `now`. A repetition does not make the window longer. */
  has(messageId: string, now: number): boolean {
    this.#forget(now);
    return this.#seenAt.has(messageId);
  }

  add(messageId: string, at: number): void {
    this.#seenAt.delete(messageId);
    this.#seenAt.set(messageId, at);
  }

  entries(now: number): Iterable<[messageId: string, at: number]> {
    this.#forget(now);
    return this.#seenAt.entries();
  }

  #forget(now: number): void {
    for (const [messageId, at] of this.#seenAt) {
      if (at + this.#windowMs > now) return;
      this.#seenAt.delete(messageId);
    }
  }
}
