import { hourSeconds, monthStart } from "../../accounting/index.ts";
import type { BudgetSpending, Spending, SpentSums } from "../../ports/index.ts";
import { isSameBudget, levelOf, reckonedOn, type Span } from "./budgets.ts";

/** What was spent before, and the time since then at the mean of both rates. `now` has rates and no sums. */
export function carriedOn(before: Spending, now: Spending): Spending {
  const fromSeconds = before.asOfSeconds;
  const untilSeconds = Math.max(fromSeconds, now.asOfSeconds);
  const span = { fromSeconds, untilSeconds };
  const names = [...new Set([...before.nodeArrays, ...now.nodeArrays].map(({ name }) => name))];
  const total = carriedSums(before.total, now.total, span);
  const nodeArrays = names.map((name) => {
    const [old, rates] = [before, now].map((each) => each.nodeArrays.find((array) => array.name === name));
    return { name, ...carriedSums(old ?? none, rates ?? none, span) };
  });
  const carried = now.budgets.flatMap((rates): readonly BudgetSpending[] => {
    const { budget } = rates;
    const spendingBefore = before.budgets.find((each) => isSameBudget(each.budget, budget));
    // The sums of a new one are unknown: it is left out, which is not zero.
    if (spendingBefore === undefined) return [];
    const on = { ...span, period: budget.period };
    const spentUsd = reckonedOn(
      spendingBefore.spentUsd,
      (spendingBefore.usdPerHour + rates.usdPerHour) / 2,
      on,
    );
    return [{ ...rates, spentUsd, level: levelOf(spentUsd, budget) }];
  });
  const reckonedSinceSeconds = before.reckonedSinceSeconds ?? fromSeconds;
  const { lastDay } = before;
  return { asOfSeconds: untilSeconds, reckonedSinceSeconds, total, nodeArrays, budgets: carried, lastDay };
}

const none: SpentSums = {
  hourUsd: 0,
  dayUsd: 0,
  monthUsd: 0,
  usdPerHour: 0,
  unpricedNodes: 0,
  unpricedNodeHours: 0,
  forecastUsd: 0,
};

function carriedSums(before: SpentSums, now: SpentSums, span: Omit<Span, "period">): SpentSums {
  const { usdPerHour, unpricedNodes } = now;
  const meanUsd = (before.usdPerHour + usdPerHour) / 2;
  const meanNodes = (before.unpricedNodes + unpricedNodes) / 2;
  const monthUsd = reckonedOn(before.monthUsd, meanUsd, { ...span, period: "month" });
  return {
    hourUsd: reckonedOn(before.hourUsd, meanUsd, { ...span, period: "hour" }),
    dayUsd: reckonedOn(before.dayUsd, meanUsd, { ...span, period: "day" }),
    monthUsd,
    usdPerHour,
    unpricedNodes,
    unpricedNodeHours: reckonedOn(before.unpricedNodeHours, meanNodes, { ...span, period: "month" }),
    forecastUsd:
      monthUsd + ((monthStart(span.untilSeconds, 1) - span.untilSeconds) / hourSeconds) * usdPerHour,
  };
}
