import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import { costOf, hasPrice } from "../compare/pareto.ts";
import { Spending } from "../compare/spending.ts";
import type { RunFigures } from "../figures/run-figures.ts";

const secondsPerDay = 86_400;
const draws = 2_000;
/** With fewer days there is no estimate. */
const leastDays = 5;

/** How sure it is that a change saves money, from the days of a workload that it was not tuned on. */
export interface Certainty {
  readonly days: number;
  /** Share of the configured cost: 0.1 is a tenth less. */
  readonly savedShare: number;
  /** Nine of ten draws of as many days saved between these. Null: too few days. */
  readonly between: readonly [number, number] | null;
  /** Share of the draws in which it was cheaper. Null: too few days. */
  readonly cheaperShare: number | null;
}

/**
 * A paired bootstrap: days are drawn with replacement, each with what it cost as configured and with the change. What one day's
 * nodes cost the next is not drawn with it, so the range is a little too narrow where nodes live for days.
 */
export function certaintyOf(
  { configured, changed }: { readonly configured: RunFigures; readonly changed: RunFigures },
  seed: number,
): Certainty {
  const pairs = pairsByDay(configured, changed);
  const before = costOf(configured);
  const savedShare = before === 0 ? 0 : 1 - costOf(changed) / before;
  if (pairs.length < leastDays) return { days: pairs.length, savedShare, between: null, cheaperShare: null };
  const generator = mersenne(seed);
  const saved = Array.from({ length: draws }, () => {
    let [first, second] = [0, 0];
    for (let day = 0; day < pairs.length; day += 1) {
      const pair = pairs[uniformInt(generator, 0, pairs.length - 1)];
      first += pair?.configured ?? 0;
      second += pair?.changed ?? 0;
    }
    return first === 0 ? 0 : 1 - second / first;
  }).toSorted((a, b) => a - b);
  const at = (share: number) => saved[Math.round(share * (draws - 1))] ?? 0;
  return {
    days: pairs.length,
    savedShare,
    between: [at(0.05), at(0.95)],
    cheaperShare: saved.filter((share) => share > 0).length / draws,
  };
}

function pairsByDay(configured: RunFigures, changed: RunFigures) {
  const startSeconds = Math.min(configured.period.startSeconds, changed.period.startSeconds);
  const endSeconds = Math.max(configured.period.endSeconds, changed.period.endSeconds);
  const [first, second] = [new Spending(configured), new Spending(changed)];
  const hasPrices = hasPrice(configured.cost);
  const costIn = (spending: Spending, from: number) => {
    const { nanoUsd, nodeMs } = spending.between(from, from + secondsPerDay);
    return hasPrices ? nanoUsd : nodeMs;
  };
  return Array.from({ length: Math.ceil((endSeconds - startSeconds) / secondsPerDay) }, (_, day) => {
    const from = startSeconds + day * secondsPerDay;
    return { configured: costIn(first, from), changed: costIn(second, from) };
  });
}
