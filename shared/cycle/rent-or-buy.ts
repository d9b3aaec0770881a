import type { IdleBounds } from "../engine/index.ts";
import type { ChosenIdleTimeout } from "../ports/index.ts";

/** A time for which a node was idle, until it was needed again or went. */
export interface Gap {
  /** Seconds until it, or another in its place, was needed again; unless that is known, at least so many. */
  readonly lastedSeconds: number;
  readonly isKnown: boolean;
  /** Seconds for which it was kept. */
  readonly keptSeconds: number;
  /** Whether it went before. */
  readonly isGone: boolean;
}

/** What the nodes of an array did, with all times in seconds of such a node: its price is on both sides, and cancels out. */
export interface Idling {
  readonly gaps: readonly Gap[];
  /** Nodes that are idle now. */
  readonly idleNodes: number;
  /** What it costs that a node which went is made anew. */
  readonly rebootSeconds: number;
}

/** Of the gaps, those count as known that are decided between the bounds. */
type Choice = Pick<ChosenIdleTimeout, "seconds" | "knownGaps"> & { readonly by: "learned" | "bound" };

/** Fewer say nothing. */
const fewestGaps = 5;

/**
 * How long to keep an idle node: rent or buy. Whoever keeps it as long as a re-boot costs never pays more than twice what they would
 * have paid had they known each gap. What that leaves of the double in the gaps that are over may be spent on the time-out that would have cost
 * least for them: one that is shorter or longer by d seconds costs at most d more than the double, for each idle node. So all gaps together
 * never cost more than twice what any fixed time-out between the bounds would have cost for them.
 */
export function rentOrBuy({ gaps, idleNodes, rebootSeconds }: Idling, bounds: IdleBounds): Choice {
  const { leastSeconds, mostSeconds } = bounds;
  const safe = within(rebootSeconds, bounds);
  const known = gaps.filter(({ isKnown, lastedSeconds }) => isKnown || lastedSeconds >= mostSeconds);
  const knownGaps = known.length;
  if (knownGaps < fewestGaps) return { seconds: safe, knownGaps, by: "bound" };
  const best = cheapest(known, rebootSeconds, bounds);
  const spare = Math.max(0, spareOf(gaps, rebootSeconds, bounds)) / Math.max(1, idleNodes);
  // A re-boot that costs more than the longest time-out leaves less room below it.
  const lowest = Math.min(safe, Math.max(leastSeconds, rebootSeconds - spare));
  const seconds = Math.min(Math.max(best, lowest), safe + spare);
  return { seconds: seconds < safe ? Math.ceil(seconds) : Math.floor(seconds), knownGaps, by: "learned" };
}

function within(seconds: number, { leastSeconds, mostSeconds }: IdleBounds): number {
  return Math.min(mostSeconds, Math.max(leastSeconds, seconds));
}

/** What is left of twice the least that each gap could have cost. */
function spareOf(gaps: readonly Gap[], rebootSeconds: number, bounds: IdleBounds): number {
  return gaps.reduce((left, { lastedSeconds, keptSeconds, isGone }) => {
    const paid = keptSeconds + (isGone ? rebootSeconds : 0);
    return left + 2 * leastCost(lastedSeconds, rebootSeconds, bounds) - paid;
  }, 0);
}

/** Of a gap that was known beforehand, with a time-out between the bounds. */
function leastCost(
  lastedSeconds: number,
  rebootSeconds: number,
  { leastSeconds, mostSeconds }: IdleBounds,
): number {
  const gone = leastSeconds + rebootSeconds;
  if (lastedSeconds > mostSeconds) return gone;
  return lastedSeconds <= leastSeconds ? lastedSeconds : Math.min(lastedSeconds, gone);
}

/** The time-out between the bounds that would have cost least for these gaps; of several the shortest. */
function cheapest(gaps: readonly Gap[], rebootSeconds: number, bounds: IdleBounds): number {
  const { leastSeconds, mostSeconds } = bounds;
  const lasted = gaps.map(({ lastedSeconds }) => lastedSeconds).sort((a, b) => a - b);
  const candidates = lasted.filter((seconds) => seconds > leastSeconds && seconds < mostSeconds);
  let best = leastSeconds;
  let bestCost = Number.POSITIVE_INFINITY;
  let shorter = 0;
  let shorterSum = 0;
  for (const seconds of [leastSeconds, ...candidates, mostSeconds]) {
    for (; shorter < lasted.length && (lasted[shorter] ?? 0) <= seconds; shorter += 1)
      shorterSum += lasted[shorter] ?? 0;
    const cost = shorterSum + (lasted.length - shorter) * (seconds + rebootSeconds);
    if (cost >= bestCost) continue;
    best = seconds;
    bestCost = cost;
  }
  return best;
}
