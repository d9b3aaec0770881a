import { monthOf } from "../accounting/index.ts";
import type { BudgetStatus, ClusterStatus, KnownProblem } from "../api/index.ts";
import { inCents } from "../prices/index.ts";
import { moment } from "../text/moment.ts";
import { counted } from "../text/text.ts";

type Facts = Pick<ClusterStatus, "spending">;

export function budgets({ spending }: Facts): readonly KnownProblem[] {
  const spent = (spending?.budgets ?? []).filter(({ level }) => level !== "within");
  return spent.map((budget) => {
    const { level, hold, period } = budget;
    const text = spentText(budget);
    if (level === "near") {
      const next = `See \`spending\` for what can be kept up until the ${period} ends.`;
      return { gravity: "notice", kind: "budget-near", text, next };
    }
    const next = `Raise ${keyOf(budget)}, or wait for the next ${period}.`;
    const gravity = hold ? "degraded" : "notice";
    return { gravity, kind: "budget-reached", text: `${text} ${effectOf(budget)}`, next };
  });
}

export function unpriced({ spending }: Facts): readonly KnownProblem[] {
  if (spending === null || spending.budgets.length === 0 || spending.unpricedNodes === 0) return [];
  const text = `${counted(spending.unpricedNodes, "nodes")} run whose price is not known: budgets leave them out.`;
  const next = "Give price_per_hour_usd of their sizes in vm_sizes.";
  return [{ gravity: "degraded", kind: "unknown-prices", text, next }];
}

/** Budgets go on to hold while nobody can look: what runs is taken to cost what it does. */
export function reckoned({ spending }: Facts): readonly KnownProblem[] {
  const since = spending?.reckonedSinceSeconds ?? null;
  if (spending === null || since === null) return [];
  const text = `The accounts cannot be read since ${moment(since)}: what is spent is reckoned from there by what runs.`;
  const next = "See `accounts-not-kept` in the log, and whether storage answers.";
  return [{ gravity: "degraded", kind: "accounts-unreadable", text, next }];
}

function spentText(budget: BudgetStatus): string {
  const { spentUsd, limitUsd, usdPerHour, untilSeconds, period } = budget;
  const ofWhom = budget.of === null ? "" : `Budget "${budget.name}" (${subjectOf(budget)}): `;
  const last = new Date((untilSeconds - 1) * 1_000).toISOString().slice(0, "2026-11-22".length);
  const when = period === "month" ? monthOf(untilSeconds - 1) : last;
  return `${ofWhom}${inCents(spentUsd)} of ${limitUsd} USD of ${when} are spent, by estimate; an hour costs ${inCents(usdPerHour)} USD now.`;
}

function effectOf({ of, hold }: BudgetStatus): string {
  if (!hold) return "Nothing is held back.";
  if (of === null) return "No new nodes are bought.";
  return of.dimension === "nodeArray"
    ? `No new nodes are bought in node array "${of.name}".`
    : "Its jobs that wait get no nodes; what runs runs on.";
}

/** Whose costs it counts, such as `account "geo"`. */
function subjectOf({ of }: Pick<BudgetStatus, "of">): string {
  if (of === null) return "the cluster";
  return `${of.dimension === "nodeArray" ? "node array" : of.dimension} "${of.name}"`;
}

function keyOf({ of, name, period }: BudgetStatus): string {
  return of === null ? name : `${period === "day" ? "daily_usd" : "monthly_usd"} of the budget`;
}
