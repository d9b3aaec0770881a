/** Stops a wake-up that is not wanted any more; calling it twice does nothing. */
export type CancelWake = () => void;

/** Where the broker gets its time from; tests put a virtual one in its place. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Runs `wake` once, at or soon after the given time (milliseconds since 1970). */
  wakeAt(time: number, wake: () => void): CancelWake;
}

/** setTimeout takes a signed 32-bit number of milliseconds and fires at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

/** The computer's clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt(time, wake) {
    const delayMs = Math.min(Math.max(0, time - Date.now()), longestTimerMs);
    const timer = setTimeout(wake, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
