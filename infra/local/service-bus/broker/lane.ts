import TinyQueue from "tinyqueue";
import type { Consumer } from "./message.ts";

/**
 * A line of ready messages, in the order of their sequence numbers, and those who take from it: a whole queue
 * has one lane, a queue with sessions has one per session.
 *
 * The heap may hold numbers of messages that are gone (expired while they waited); `head` skips them.
 */
export class Lane {
  readonly #ready = new TinyQueue<number>();
  readonly #isReady: (sequence: number) => boolean;
  #consumers: readonly Consumer[] = [];
  #turn = 0;

  constructor(isReady: (sequence: number) => boolean) {
    this.#isReady = isReady;
  }

  /** A message that comes back takes its old place again, because the order is that of the numbers. */
  add(sequence: number): void {
    this.#ready.push(sequence);
  }

  head(): number | undefined {
    for (let next = this.#ready.peek(); next !== undefined; next = this.#ready.peek()) {
      if (this.#isReady(next)) return next;
      this.#ready.pop();
    }
    return undefined;
  }

  /** Takes the head away; call it only after `head` returned a number. */
  shift(): void {
    this.#ready.pop();
  }

  join(consumer: Consumer): void {
    this.#consumers = [...this.#consumers, consumer];
  }

  leave(consumer: Consumer): void {
    this.#consumers = this.#consumers.filter((other) => other !== consumer);
  }

  /** The next consumer that has credit, in turns, so that none starves beside a greedy one. */
  nextConsumer(): Consumer | undefined {
    for (let tried = 0; tried < this.#consumers.length; tried++) {
      const consumer = this.#consumers[this.#turn++ % this.#consumers.length];
      if (consumer !== undefined && consumer.credit() > 0) return consumer;
    }
    return undefined;
  }
}
