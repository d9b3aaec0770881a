/** Simulated time, in seconds since 1970. It only moves forward. */
export interface Clock {
  nowSeconds(): number;
}

/** A clock whose pace can be changed while it runs. */
export interface PacedClock extends Clock {
  /** Simulated seconds per real second, as it is now. */
  readonly speed: number;
  /** Simulated seconds per real second. Time that has passed already stays as it was. */
  setSpeed(speed: number): void;
}

/** A clock that stands still until it is told to move: for tests. */
export interface ManualClock extends Clock {
  advance(seconds: number): void;
}

export function createPacedClock(speed: number): PacedClock {
  let pace = checked(speed);
  let realOrigin = performance.now();
  let simulatedOrigin = Date.now() / 1000;
  const nowSeconds = () => simulatedOrigin + ((performance.now() - realOrigin) / 1000) * pace;
  return {
    nowSeconds,
    get speed() {
      return pace;
    },
    setSpeed(next) {
      simulatedOrigin = nowSeconds();
      realOrigin = performance.now();
      pace = checked(next);
    },
  };
}

export function createManualClock(startSeconds = 1_800_000_000): ManualClock {
  let now = startSeconds;
  return {
    nowSeconds: () => now,
    advance(seconds) {
      if (!(seconds >= 0)) throw new RangeError(`Cannot advance the clock: ${seconds}s, expected 0s or more`);
      now += seconds;
    },
  };
}

export function isPaced(clock: Clock): clock is PacedClock {
  return "setSpeed" in clock;
}

export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function checked(speed: number): number {
  if (speed > 0 && Number.isFinite(speed)) return speed;
  throw new RangeError(`Cannot set the speed: ${speed}, expected more than 0`);
}
