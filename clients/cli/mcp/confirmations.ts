import { randomUUID } from "node:crypto";

/** A request whose effect was shown, and that may be sent once. */
export interface Confirmed {
  readonly cluster: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export const confirmationMinutes = 10;
const most = 100;

/** Requests that wait for a yes. Each can be taken once, within ten minutes; a hundred are kept. */
export class Confirmations {
  readonly #waiting = new Map<string, Confirmed & { readonly untilMs: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  keep(request: Confirmed): string {
    for (const [word, { untilMs }] of this.#waiting)
      if (untilMs < this.#nowMs() || this.#waiting.size >= most) this.#waiting.delete(word);
    const word = randomUUID();
    this.#waiting.set(word, { ...request, untilMs: this.#nowMs() + confirmationMinutes * 60_000 });
    return word;
  }

  /** Undefined: there is none of this word, it was taken, or it is too late. */
  take(word: string): Confirmed | undefined {
    const found = this.#waiting.get(word);
    this.#waiting.delete(word);
    return found === undefined || found.untilMs < this.#nowMs() ? undefined : found;
  }
}
