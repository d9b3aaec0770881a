/** How far the clock of another instance, or of a sender, may be ahead of ours and still count as right. */
export const furthestAheadSeconds = 60;

/**
 * Whether a time comes from a clock that is wrong: no event lies in the future. Such a time must not
 * count as the newest until then, which may take an hour.
 */
export function isAhead(atSeconds: number, nowSeconds: number): boolean {
  return atSeconds > nowSeconds + furthestAheadSeconds;
}

/** Null when there is none. */
export function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce<number | null>(
    (first, time) => (first === null || (time !== null && time < first) ? time : first),
    null,
  );
}
