/** Time as the host sees it; tests put their own in its place. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a delay; the result cancels. The delay may be of any length. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Longest delay that one Node timer can hold. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const end = Date.now() + milliseconds;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = end - Date.now();
      timer = setTimeout(left > longestTimerMs ? arm : callback, Math.max(0, Math.min(left, longestTimerMs)));
    };
    arm();
    return () => clearTimeout(timer);
  },
};

/** Waits for some work, but no longer than so long; the work goes on. */
export async function waitAtMost(clock: Clock, milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work.finally(() => done.abort()), sleep(clock, milliseconds, done.signal)]);
}

/** Waits on a clock; returns early, without error, when the signal aborts. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}
