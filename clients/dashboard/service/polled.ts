import { useEffect, useReducer, useRef } from "preact/hooks";
import { CallError, call } from "./call.ts";
import { session } from "./session.ts";

const everyMs = 3_000;
const longestMs = 60_000;

/** What is known of something that is asked for again and again. */
export interface Polled<T> {
  /** Undefined: not answered yet. What was answered stays while later calls fail. */
  readonly answer: T | undefined;
  /** Why the newest call failed; undefined: it did not. */
  readonly error: CallError | undefined;
  /** When the newest call succeeded, in milliseconds. */
  readonly atMs: number | undefined;
  refresh(): void;
}

interface Kept {
  readonly answer: unknown;
  readonly etag: string | undefined;
  readonly atMs: number;
}

/** The last answers by address, so that a view that is opened again shows at once what was known. */
const kept = new Map<string, Kept>();
const mostKept = 50;

session.listen(() => kept.clear());

/** When to ask again: slower with each failure, or as the service wishes. */
export function delayAfter(failures: number, error?: Pick<CallError, "retryAfterSeconds">): number {
  const asked = (error?.retryAfterSeconds ?? 0) * 1_000;
  return Math.min(longestMs, Math.max(asked, everyMs * 2 ** Math.min(failures, 10)));
}

/** Asks while the page is visible. Null: nothing is asked. */
export function usePolled<T>(address: string | null): Polled<T> {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const failed = useRef<CallError | undefined>(undefined);
  const again = useRef<() => void>(() => undefined);

  useEffect(() => {
    failed.current = undefined;
    if (address === null) return undefined;
    const poll = new Poll(address, (error) => {
      failed.current = error;
      redraw(0);
    });
    again.current = () => poll.now();
    poll.now();
    return () => poll.stop();
  }, [address]);

  const known = address === null ? undefined : kept.get(address);
  return {
    answer: known?.answer as T | undefined,
    error: failed.current,
    atMs: known?.atMs,
    refresh: () => again.current(),
  };
}

class Poll {
  readonly #address: string;
  readonly #tell: (error: CallError | undefined) => void;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isAsking = false;

  constructor(address: string, tell: (error: CallError | undefined) => void) {
    this.#address = address;
    this.#tell = tell;
    document.addEventListener("visibilitychange", () => this.now(), { signal: this.#ended.signal });
  }

  now(): void {
    clearTimeout(this.#timer);
    if (!this.#isAsking && !this.#ended.signal.aborted && !document.hidden) void this.#ask();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  async #ask(): Promise<void> {
    const { signal } = this.#ended;
    this.#isAsking = true;
    let error: CallError | undefined;
    try {
      const before = kept.get(this.#address);
      const headers = before?.etag === undefined ? {} : { "if-none-match": before.etag };
      const { answer = before?.answer, etag = before?.etag } = await call<unknown>(this.#address, {
        headers,
        signal,
      });
      keep(this.#address, { answer, etag, atMs: Date.now() });
      this.#failures = 0;
    } catch (thrown) {
      if (signal.aborted) return;
      if (!(thrown instanceof CallError)) throw thrown;
      error = thrown;
      this.#failures += 1;
    } finally {
      this.#isAsking = false;
    }
    if (signal.aborted) return;
    this.#tell(error);
    this.#timer = setTimeout(() => this.now(), delayAfter(this.#failures, error));
  }
}

function keep(address: string, answer: Kept): void {
  kept.delete(address);
  kept.set(address, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
}
