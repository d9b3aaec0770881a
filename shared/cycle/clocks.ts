/** How far a clock may be ahead of ours and still count as right: of another instance, or of a sender. */
export const furthestAheadSeconds = 60;

/**
 * Whether a time was told by a clock that is wrong: nothing that we know of happens later than now. Such a time must not
 * count as the newest until it has come, which may be in an hour.
 */
export function isAhead(atSeconds: number, nowSeconds: number): boolean {
  return atSeconds > nowSeconds + furthestAheadSeconds;
}
