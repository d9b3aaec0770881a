/**
 * Rows may show some time after their time stamps say that they were written, and the clocks of a store's machines are not
 * quite the same: so far back they are read once more.
 */
const overlapMs = 10_000;

/** What a reading of rows knows of the store's clock. */
interface Reading {
  /** Of the reading before; undefined: this one was of all rows. */
  readonly mark: string | undefined;
  /** When it began; undefined: the store did not say. */
  readonly begunAt: Date | undefined;
  /** When its rows were written. */
  readonly writtenAt: readonly string[];
}

/** The time stamps, from that of `mark` on, of rows that the reading which gave it may not have seen. */
export function unseenSince(mark: string): Date {
  return new Date(Date.parse(mark) - overlapMs);
}

/**
 * Where the next reading goes on: when this one began, as what was written later may have come behind it. A store that does
 * not tell has the newest row for a clock, and rows that were written with it are read each time. Undefined while
 * there are no rows.
 */
export function markAfter({ mark, begunAt, writtenAt }: Reading): string | undefined {
  if (mark === undefined && writtenAt.length === 0) return undefined;
  const times = begunAt === undefined ? writtenAt.map((text) => Date.parse(text)) : [begunAt.getTime()];
  const latest = times.reduce(
    (most, time) => Math.max(most, time),
    mark === undefined ? Number.NEGATIVE_INFINITY : Date.parse(mark),
  );
  return new Date(latest).toISOString();
}
