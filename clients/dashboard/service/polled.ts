import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { CallError, type Called, call } from "./call.ts";
import { connection } from "./connection.ts";
import { session } from "./session.ts";

const everyMs = 3_000;
const longestMs = 60_000;

export interface Polled<T> {
  /** Undefined: not answered yet. What was answered stays while later calls fail. */
  readonly answer: T | undefined;
  /** Why the newest call failed; undefined: it did not. */
  readonly error: CallError | undefined;
  /** When the newest call succeeded, in milliseconds. */
  readonly atMs: number | undefined;
  /** How long after an answer the next one is asked for, in milliseconds. */
  readonly everyMs: number;
  refresh(): void;
}

interface Kept {
  readonly answer: unknown;
  readonly etag: string | undefined;
  readonly atMs: number;
}

/** How something is asked for, when it takes more than a call of its address. */
export type Ask<T> = (
  /** The answer before this one. */
  before: Partial<Called<T>>,
  how: {
    readonly signal: AbortSignal;
    /** Shows a part of the answer until all of it is there. */
    readonly show: (part: T) => void;
  },
) => Promise<Called<T>>;

export interface PollOptions<T> {
  readonly ask?: Ask<T>;
  /** Longer for what costs the service much, or seldom changes. */
  readonly everyMs?: number;
}

/** The last answers by address, so that a view that is opened again shows at once what was known. */
const kept = new Map<string, Kept>();
const mostKept = 30;

session.listen(() => kept.clear());

/** When to ask again: slower with each failure, or as the service wishes. */
function delayAfter(
  failures: number,
  error?: Pick<CallError, "retryAfterSeconds">,
  usualMs = everyMs,
): number {
  const asked = (error?.retryAfterSeconds ?? 0) * 1_000;
  return Math.max(usualMs, Math.min(longestMs, Math.max(asked, everyMs * 2 ** Math.min(failures, 10))));
}

/** An address, unless the service has nothing newer there than is known. */
export function askAgain<T>(
  address: string,
  { etag }: { readonly etag?: string | undefined },
  signal: AbortSignal,
): Promise<Called<T>> {
  return call<T>(address, { headers: etag === undefined ? {} : { "if-none-match": etag }, signal });
}

/** Asks while the page is visible. Null: nothing is asked. With `ask`, the address is a name for what is asked for. */
export function usePolled<T>(address: string | null, options: PollOptions<T> = {}): Polled<T> {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const shown = useRef<Poll>(undefined);
  const given = useRef(options);
  given.current = options;
  // An address that was never asked for shows nothing of the one before.
  if (shown.current?.address !== (address ?? undefined)) {
    const ask: Ask<unknown> = (before, how) =>
      given.current.ask?.(before as Called<T>, how) ?? askAgain(address ?? "", before, how.signal);
    shown.current =
      address === null
        ? undefined
        : new Poll(
            address,
            ask,
            () => given.current.everyMs ?? everyMs,
            () => redraw(0),
          );
  }
  const poll = shown.current;
  // While the first frame is drawn, the service works already.
  useLayoutEffect(() => {
    poll?.start();
    return () => poll?.stop();
  }, [poll]);

  return {
    answer: poll?.last?.answer as T | undefined,
    error: poll?.error,
    atMs: poll?.last?.atMs,
    everyMs: options.everyMs ?? everyMs,
    refresh: () => poll?.now(),
  };
}

class Poll {
  readonly address: string;
  last: Kept | undefined;
  error: CallError | undefined;
  readonly #askFor: Ask<unknown>;
  readonly #usualMs: () => number;
  readonly #tell: () => void;
  #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isAsking = false;

  constructor(address: string, ask: Ask<unknown>, usualMs: () => number, tell: () => void) {
    this.address = address;
    this.last = kept.get(address);
    this.#askFor = ask;
    this.#usualMs = usualMs;
    this.#tell = tell;
  }

  start(): void {
    this.#ended = new AbortController();
    document.addEventListener("visibilitychange", () => this.now(), { signal: this.#ended.signal });
    this.now();
  }

  readonly now = (): void => {
    clearTimeout(this.#timer);
    if (!this.#isAsking && !this.#ended.signal.aborted && !document.hidden) void this.#ask();
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
    this.#isAsking = false;
    connection.leave(this);
  }

  async #ask(): Promise<void> {
    const { signal } = this.#ended;
    this.#isAsking = true;
    try {
      const before = this.last;
      const show = (answer: unknown) => {
        if (signal.aborted) return;
        this.last = { answer, etag: undefined, atMs: Date.now() };
        this.#tell();
      };
      const called = await this.#askFor((before as Called<unknown> | undefined) ?? {}, { signal, show });
      if (signal.aborted) return;
      const atMs = Date.now();
      this.last =
        called.answer === undefined && before !== undefined
          ? { ...before, answer: later(before.answer, atMs - before.atMs), atMs }
          : { ...called, answer: called.answer, atMs };
      keep(this.address, this.last);
      this.error = undefined;
      this.#failures = 0;
    } catch (thrown) {
      if (signal.aborted) return;
      if (!(thrown instanceof CallError)) throw thrown;
      this.error = thrown;
      this.#failures += 1;
    } finally {
      if (!signal.aborted) this.#isAsking = false;
    }
    connection.hear(this, this.error);
    this.#tell();
    this.#timer = setTimeout(this.now, delayAfter(this.#failures, this.error, this.#usualMs()));
  }
}

/** The same answer some time on: ages are counted from when it was made, and it is still true. */
function later(answer: unknown, ms: number): unknown {
  if (typeof answer !== "object" || answer === null || !("atSeconds" in answer)) return answer;
  return { ...answer, atSeconds: Number(answer.atSeconds) + ms / 1_000 };
}

function keep(address: string, answer: Kept): void {
  kept.delete(address);
  kept.set(address, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
}
