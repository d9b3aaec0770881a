import TinyQueue from "tinyqueue";
import type { CancelWake, Clock } from "./clock.ts";

/** Something that will happen at `at` (milliseconds since 1970) unless it is cancelled first. */
export interface Deadline {
  readonly at: number;
  cancel(): void;
}

interface Entry extends Deadline {
  /** Order among equal times: first set, first run. */
  readonly order: number;
  run: (() => void) | undefined;
}

/** Below this many cancelled entries the heap is not worth rebuilding. */
const rebuildFrom = 1024;

/**
 * Every lock, expiry and schedule of the broker in one heap with one timer, so that ten thousand messages
 * do not mean ten thousand timers.
 */
export class Deadlines {
  readonly #clock: Clock;
  #heap = newHeap();
  #order = 0;
  #cancelled = 0;
  #timer: { readonly at: number; readonly cancel: CancelWake } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  set(at: number, run: () => void): Deadline {
    const entry: Entry = { at, order: this.#order++, run, cancel: () => this.#cancel(entry) };
    this.#heap.push(entry);
    this.#arm();
    return entry;
  }

  /**
   * Runs everything that is due. Every operation of a queue starts with this, so that nothing ever sees a
   * lock or a message that has run out but whose timer has not fired yet.
   */
  runDue(): void {
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (next.run !== undefined && next.at > this.#clock.now()) break;
      this.#heap.pop();
      const { run } = next;
      next.run = undefined;
      if (run === undefined) this.#cancelled--;
      else run();
    }
    this.#arm();
  }

  /** Forgets everything and stops the timer. */
  close(): void {
    this.#heap = newHeap();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #cancel(entry: Entry): void {
    if (entry.run === undefined) return;
    entry.run = undefined;
    this.#cancelled++;
    // A completed message leaves a cancelled lock behind; without this they would pile up for a whole LockDuration.
    if (this.#cancelled < rebuildFrom || this.#cancelled * 2 < this.#heap.length) return;
    this.#heap = newHeap(this.#heap.data.filter((kept) => kept.run !== undefined));
    this.#cancelled = 0;
  }

  #arm(): void {
    const at = this.#heap.peek()?.at;
    if (at === undefined || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.wakeAt(at, () => {
      this.#timer = undefined;
      this.runDue();
    });
    this.#timer = { at, cancel };
  }
}

function newHeap(entries: Entry[] = []): TinyQueue<Entry> {
  return new TinyQueue(entries, (a, b) => a.at - b.at || a.order - b.order);
}
