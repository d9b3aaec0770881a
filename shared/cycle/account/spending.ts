import {
  type Amount,
  type Book,
  lastDayUse,
  monthForecast,
  type Spent,
  type Stand,
  standOf,
} from "../../accounting/index.ts";
import type {
  BudgetSettings,
  BudgetSpending,
  Log,
  Snapshot,
  Spending,
  SpentSums,
} from "../../ports/index.ts";
import { inCents } from "../../prices/index.ts";
import { type CountedBudget, isNews, levelOf } from "./budgets.ts";
import { carriedOn } from "./carry-on.ts";
import type { Counted } from "./keep-accounts.ts";

/**
 * What is spent, for the snapshot. It comes from the accounts. If they cannot be read, the last snapshot's sums are continued at the mean rate
 * of both snapshots: a budget never counts as unspent because nothing could be read. Without either the sum is unknown, and there is no snapshot.
 */
export function spendingOf(
  counted: Counted,
  before: Snapshot | undefined,
  budgets: readonly CountedBudget[],
): Spending {
  const spending = summary(counted.book, budgets);
  if (counted.ok) return spending;
  if (before === undefined) throw counted.error;
  return carriedOn(before.spending, spending);
}

function summary(book: Book, budgets: readonly CountedBudget[]): Spending {
  const subjects = budgets.flatMap(({ subject }) => subject ?? []);
  const stand = standOf(book, subjects);
  const spentBy = new Map(subjects.map((subject, index) => [subject, stand.subjects[index]]));
  return {
    asOfSeconds: book.asOfSeconds,
    reckonedSinceSeconds: null,
    total: sumsOf(
      stand.total,
      monthForecast(book, stand.total, ({ nanoUsd }) => nanoUsd),
    ),
    nodeArrays: stand.nodeArrays.map((array) => ({
      name: array.name,
      ...sumsOf(array, forecastOf(book, array)),
    })),
    lastDay: lastDayUse(book),
    budgets: budgets.map(({ budget, subject }) =>
      budgetSpending(budget, subject?.names ?? [], (subject && spentBy.get(subject)) ?? stand.total),
    ),
  };
}

function forecastOf(book: Book, array: Stand["nodeArrays"][number]): number {
  const costOf = ({ nodeArrays }: Book["lastDays"][number]) =>
    nodeArrays.find(({ name }) => name === array.name)?.nanoUsd ?? 0;
  return monthForecast(book, array, costOf);
}

function sumsOf({ hour, day, month, hourly }: Spent, forecastNanoUsd: number): SpentSums {
  return {
    hourUsd: usd(hour.nanoUsd),
    dayUsd: usd(day.nanoUsd),
    monthUsd: usd(month.nanoUsd),
    usdPerHour: usd(hourly.nanoUsd),
    unpricedNodes: hours(hourly),
    unpricedNodeHours: hours(month),
    forecastUsd: usd(forecastNanoUsd),
  };
}

function budgetSpending(
  budget: BudgetSettings,
  names: BudgetSpending["names"],
  spent: Spent,
): BudgetSpending {
  const sum = budget.period === "day" ? spent.day : spent.month;
  const spentUsd = usd(sum.nanoUsd);
  const level = levelOf(spentUsd, budget);
  const usdPerHour = usd(spent.hourly.nanoUsd);
  return { budget, names, spentUsd, usdPerHour, unpricedNodeHours: hours(sum), level };
}

function usd(nano: number): number {
  return nano / 1e9;
}

function hours({ unpricedNodeMs }: Amount): number {
  return unpricedNodeMs / 3_600_000;
}

/** Logs once that a budget is nearly or fully spent; again only in a new day or month, or under a larger budget. */
export function reportSpending(
  log: Log,
  { cluster, spending }: Pick<Snapshot, "cluster" | "spending">,
  before: Snapshot | undefined,
): void {
  for (const each of spending.budgets) {
    if (!isNews(each, spending, before?.spending)) continue;
    const { budget, spentUsd, usdPerHour, level } = each;
    const { name, of, period, usd: budgetUsd } = budget;
    const fields = {
      cluster: cluster.name,
      budget: name,
      ...(of === null ? {} : { [of.dimension]: of.name }),
      period,
      spentUsd: inCents(spentUsd),
      budgetUsd,
      usdPerHour: inCents(usdPerHour),
    };
    if (level === "near") log.warn("budget-near", fields);
    else log.error("budget-reached", fields);
  }
}
