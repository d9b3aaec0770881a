import { periodEnd } from "../../accounting/index.ts";
import type { CauseView } from "../../api/index.ts";
import type { Reason } from "../../engine/index.ts";
import type { BackedOff } from "../../ports/index.ts";
import { holdSentence } from "../held-sizes.ts";
import type { Outlook } from "../outlook.ts";
import { cause, figures } from "./cause.ts";
import { reasonSentence } from "./reason-words.ts";

/** A budget of a user, account or queue is spent: its jobs wait until the day or month ends, or the budget is larger. */
export function budgetCause(outlook: Outlook, reason: Reason): CauseView {
  const { asked, left } = reason;
  const isCounted = asked !== null;
  return cause("budget", {
    text: reasonSentence(reason),
    next: isCounted
      ? nextOf(outlook, reason.budget)
      : "The next snapshot counts it, within a minute: `ccscale status`.",
    asked,
    left,
    untilSeconds: isCounted ? endOf(outlook, reason.budget) : null,
  });
}

/** A node array gets no new nodes, or a size of it, because of a budget. */
export function heldBucketCause(outlook: Outlook, backOff: BackedOff, reason: Reason): CauseView {
  const { budget, isUnpriced = false } = backOff;
  return cause("budget", {
    text: `${holdSentence(backOff, outlook.atSeconds)} What runs runs on.`,
    next: isUnpriced
      ? 'Give "price_per_hour_usd" of the size in "vm_sizes" and store the configuration: `ccscale config push FILE`.'
      : nextOf(outlook, budget),
    ...figures(reason),
    untilSeconds: isUnpriced ? null : endOf(outlook, budget),
  });
}

function nextOf(outlook: Outlook, name: string | undefined): string {
  const period = budgetOf(outlook, name)?.period ?? "month";
  return `It ends with the ${period}; or raise "${period === "day" ? "daily_usd" : "monthly_usd"}" of the budget and store the configuration: \`ccscale config push FILE\`.`;
}

function endOf(outlook: Outlook, name: string | undefined): number | null {
  const budget = budgetOf(outlook, name);
  return budget === undefined ? null : periodEnd(budget.period, outlook.atSeconds);
}

function budgetOf({ config }: Outlook, name: string | undefined) {
  return config.cycle.budgets?.find((budget) => budget.name === name);
}
