/** An answer of an address, and what the address said when it came. */
interface Answered {
  readonly url: string;
  readonly etag: string | undefined;
}

/** Most addresses. A page's cursor is part of its address, so a list that changes has new ones each time. */
const mostKept = 16;

/**
 * The last answer of each address that has an ETag. The service does not send an unchanged answer again, but ages in it must
 * advance: `atSeconds`, from which they are computed, grows by the time that has passed here, whatever this machine's clock shows.
 */
export class AnswerMemory {
  readonly #kept = new Map<
    string,
    { readonly etag: string; readonly answer: unknown; readonly atMs: number }
  >();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  etagOf(url: string): string | undefined {
    return this.#kept.get(url)?.etag;
  }

  keep({ url, etag }: Answered, answer: unknown): void {
    this.#kept.delete(url);
    if (etag === undefined) return;
    this.#kept.set(url, { etag, answer, atMs: this.#nowMs() });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Undefined when nothing is kept of this address. */
  of({ url }: Answered): unknown {
    const kept = this.#kept.get(url);
    if (kept === undefined) return undefined;
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const { answer, atMs } = kept;
    if (typeof answer !== "object" || answer === null || !("atSeconds" in answer)) return answer;
    const passedSeconds = (this.#nowMs() - atMs) / 1000;
    return { ...answer, atSeconds: Number(answer.atSeconds) + passedSeconds };
  }
}
