import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Gap, rentOrBuy } from "../../../shared/cycle/rent-or-buy.ts";
import type { IdleBounds } from "../../../shared/engine/index.ts";

const wide: IdleBounds = { leastSeconds: 60, mostSeconds: 3_600 };

/** Nodes that were kept until they were needed. */
function used(count: number, seconds: number): readonly Gap[] {
  return Array.from({ length: count }, () => ({
    lastedSeconds: seconds,
    isKnown: true,
    keptSeconds: seconds,
    isGone: false,
  }));
}

/** Nodes that went, and another was made later. */
function gone(count: number, keptSeconds: number, lastedSeconds: number): readonly Gap[] {
  return Array.from({ length: count }, () => ({ lastedSeconds, isKnown: true, keptSeconds, isGone: true }));
}

const none = { idleNodes: 0, rebootSeconds: 300 };

describe("rentOrBuy", () => {
  test.each([
    ["as long as a re-boot costs", 300, wide, 300],
    ["no less than the least", 30, wide, 60],
    ["no more than the most", 7_200, wide, 3_600],
  ])("keeps a node, without gaps that are known, %s", (_, rebootSeconds, bounds, seconds) => {
    expect(rentOrBuy({ gaps: [], idleNodes: 0, rebootSeconds }, bounds)).toEqual({
      seconds,
      knownGaps: 0,
      by: "bound",
    });
  });

  test("nodes that are hardly ever needed again within a re-boot's time go as early as may be", () => {
    const gaps = [...used(5, 90), ...gone(100, 300, 9_000)];
    expect(rentOrBuy({ ...none, gaps }, wide)).toEqual({ seconds: 60, knownGaps: 105, by: "learned" });
  });

  test("nodes that are needed again a little later than a re-boot's time are kept until then", () => {
    const gaps = [...used(30, 200), ...gone(30, 300, 420)];
    expect(rentOrBuy({ ...none, gaps }, wide)).toMatchObject({ seconds: 420, by: "learned" });
  });

  test("the time-out moves from the bound by what the gaps have saved, shared by all idle nodes", () => {
    const gaps = [...used(30, 200), ...gone(30, 300, 420)];
    const spare = (idleNodes: number) => rentOrBuy({ ...none, gaps, idleNodes }, wide).seconds - 300;
    // 30 cost 200 s each and might have cost twice that, 30 cost 600 s each and might have cost twice 360 s: 9,600 s are left.
    expect([spare(1), spare(96), spare(960)]).toEqual([120, 100, 10]);
  });

  test("what nodes cost that are kept until they are needed counts, in whatever order the gaps are listed", () => {
    const gaps = [...used(10, 3_000), ...used(400, 100)];
    expect(rentOrBuy({ ...none, gaps }, wide)).toMatchObject({ seconds: 100, by: "learned" });
  });

  test("a gap that is not over counts for what is certain of it", () => {
    const open = gone(30, 300, 420).map((gap) => ({ ...gap, isKnown: false }));
    expect(rentOrBuy({ ...none, gaps: open }, wide)).toMatchObject({ knownGaps: 0, by: "bound" });
    const past = gone(30, 300, 4_000).map((gap) => ({ ...gap, isKnown: false }));
    expect(rentOrBuy({ ...none, gaps: past }, wide)).toMatchObject({ knownGaps: 30, by: "learned" });
  });
});

/** Gaps of which each lasts a little longer than the one before, so that what was learned is always too short; or all are drawn. */
const phase = fc.record({
  count: fc.integer({ min: 1, max: 40 }),
  firstSeconds: fc.oneof(fc.integer({ min: 61, max: 130 }), fc.integer({ min: 61, max: 4_000 })),
  stepSeconds: fc.integer({ min: 0, max: 4 }),
  /** How long after the one before the next one begins; null: when that is over. */
  everySeconds: fc.constantFrom(null, null, 0, 1, 50),
});

const world = fc.record({
  rebootSeconds: fc.integer({ min: 20, max: 2_000 }),
  bounds: fc
    .record({
      leastSeconds: fc.constantFrom(60, 60, 200, 600),
      range: fc.constantFrom(0, 60, 600, 3_000),
    })
    .map(({ leastSeconds, range }) => ({ leastSeconds, mostSeconds: leastSeconds + range })),
  gaps: fc.array(phase, { minLength: 1, maxLength: 4 }).map((phases) => {
    let startSeconds = 0;
    let endSeconds = 0;
    return phases.flatMap(({ count, firstSeconds, stepSeconds: step, everySeconds }) => {
      startSeconds = endSeconds + 1;
      return Array.from({ length: count }, (_, index) => {
        const gap = { startSeconds, lastedSeconds: firstSeconds + index * step };
        endSeconds = Math.max(endSeconds, startSeconds + gap.lastedSeconds);
        startSeconds = everySeconds === null ? endSeconds + 1 : startSeconds + everySeconds;
        return gap;
      });
    });
  }),
});

type Drawn = typeof world extends fc.Arbitrary<infer T> ? T : never;

const stepSeconds = 1;

/** What the rule pays for the gaps, as they come; and how many nodes go. */
function paidByRule({ rebootSeconds, bounds, gaps }: Drawn): { paid: number; gone: number } {
  const over = new Map<Drawn["gaps"][number], Gap>();
  const wentAt = new Map<Drawn["gaps"][number], number>();
  let paid = 0;
  // A choice changes only when a gap begins or ends, a node goes, or what is certain of an open gap grows.
  for (let now = 0; over.size < gaps.length; now += stepSeconds) {
    const open = gaps.filter((gap) => gap.startSeconds <= now && !(over.get(gap)?.isKnown ?? false));
    if (open.length === 0) {
      const later = gaps.filter(({ startSeconds }) => startSeconds > now);
      if (later.length === 0) break;
      now = Math.min(...later.map(({ startSeconds }) => startSeconds)) - stepSeconds;
      continue;
    }
    for (const gap of open) {
      const lastedSeconds = now - gap.startSeconds;
      const keptSeconds = (wentAt.get(gap) ?? now) - gap.startSeconds;
      const isOver = lastedSeconds >= gap.lastedSeconds;
      const isGone = wentAt.has(gap);
      if (isOver && !isGone) paid += keptSeconds;
      if (isOver || isGone) over.set(gap, { lastedSeconds, isKnown: isOver, keptSeconds, isGone });
    }
    const idle = open.filter((gap) => !over.has(gap));
    if (idle.length === 0) continue;
    const idling = { gaps: [...over.values()], idleNodes: idle.length, rebootSeconds };
    const { seconds } = rentOrBuy(idling, bounds);
    for (const gap of idle)
      if (now - gap.startSeconds >= seconds) {
        wentAt.set(gap, now);
        paid += now - gap.startSeconds + rebootSeconds;
      }
  }
  return { paid, gone: wentAt.size };
}

/** What the best fixed time-out would have paid, had the gaps been known. */
function paidByBest({ rebootSeconds, bounds: { leastSeconds, mostSeconds }, gaps }: Drawn): number {
  const lasted = gaps.map(({ lastedSeconds }) => lastedSeconds);
  const fixed = lasted.filter((seconds) => seconds > leastSeconds && seconds < mostSeconds);
  const costs = [leastSeconds, mostSeconds, ...fixed].map((timeout) =>
    lasted.reduce((sum, gap) => sum + (gap <= timeout ? gap : timeout + rebootSeconds), 0),
  );
  return Math.min(...costs);
}

test("whatever gaps come, they cost at most twice what the best fixed time-out would have cost for them", () => {
  fc.assert(
    fc.property(world, (drawn) => {
      const { paid, gone: count } = paidByRule(drawn);
      // A node that is needed in the second in which it would go is kept.
      expect(paid).toBeLessThanOrEqual(2 * paidByBest(drawn) + count * stepSeconds);
    }),
    { numRuns: 25 },
  );
});
