import { type BudgetPeriod, hourSeconds, periodStart, type Subject } from "../../accounting/index.ts";
import type {
  BudgetLevel,
  BudgetSettings,
  BudgetSpending,
  BudgetSubject,
  ClusterConfig,
  CycleSettings,
  Ports,
  Spending,
} from "../../ports/index.ts";
import { pseudonymIn } from "../demand/hide-names.ts";

/** From this share of a budget on, operators are warned. */
const nearShare = 0.8;

/** What jobs that name no user, account or queue go by. */
const unknown = "unknown";

/** The budget of the caps, which goes by the key of the configuration. */
const clusterBudgetName = "monthly_budget_usd";

/** All budgets of a cluster, that of the caps first. */
export function budgetsOf({
  caps,
  budgets = [],
}: Pick<CycleSettings, "caps" | "budgets">): readonly BudgetSettings[] {
  const usd = caps?.monthlyBudgetUsd ?? null;
  if (usd === null) return budgets;
  return [{ name: clusterBudgetName, of: null, period: "month", usd, hold: true }, ...budgets];
}

/** A budget and whom it counts, as the accounts name them. */
export interface CountedBudget {
  readonly budget: BudgetSettings;
  /** Null: the whole cluster. */
  readonly subject: Subject | null;
}

/** All budgets of a cluster. Where names are stored as hashes, the names of budgets are hashed to be compared. */
export function countedBudgets(
  ports: Pick<Ports, "ids">,
  { cycle, pseudonyms }: Pick<ClusterConfig, "cycle" | "pseudonyms">,
): readonly CountedBudget[] {
  return budgetsOf(cycle).map((budget) => {
    const { of } = budget;
    if (of === null) return { budget, subject: null };
    const { dimension, name } = of;
    if (dimension !== "user" && dimension !== "account") return { budget, subject: subjectOf(of) };
    if (name === unknown) return { budget, subject: subjectOf(of) };
    const stored = pseudonymIn(ports, pseudonyms, { field: dimension, name });
    // Without the key all names are left out: whose jobs they are is unknown.
    return { budget, subject: { dimension, names: stored === undefined ? [] : [stored] } };
  });
}

function subjectOf({ dimension, name }: BudgetSubject): Subject {
  return { dimension, names: dimension !== "nodeArray" && name === unknown ? [null, name] : [name] };
}

/** As the accounts and jobs name whom a budget is for. One that the snapshot does not know is not hashed yet. */
export function namesOf(
  { budgets }: Spending,
  budget: BudgetSettings,
  of: BudgetSubject,
): readonly (string | null)[] {
  return budgets.find((each) => isSameBudget(each.budget, budget))?.names ?? subjectOf(of).names;
}

export function levelOf(spentUsd: number, { usd }: Pick<BudgetSettings, "usd">): BudgetLevel {
  if (spentUsd < usd * nearShare) return "within";
  return spentUsd < usd ? "near" : "reached";
}

const levels: readonly BudgetLevel[] = ["within", "near", "reached"];

/** The worst among all budgets; `within` where there is none. */
export function worstLevel({ budgets }: Spending): BudgetLevel {
  return levels.findLast((level) => budgets.some((each) => each.level === level)) ?? "within";
}

/** Whether a level was not reached before: in a new day or month, or under a larger budget, it counts anew. */
export function isNews(now: BudgetSpending, spending: Spending, before: Spending | undefined): boolean {
  const spendingBefore = before?.budgets.find((each) => isSameBudget(each.budget, now.budget));
  const { period } = now.budget;
  const isSamePeriod =
    before !== undefined &&
    periodStart(period, before.asOfSeconds) === periodStart(period, spending.asOfSeconds);
  const level = spendingBefore !== undefined && isSamePeriod ? spendingBefore.level : "within";
  return levels.indexOf(now.level) > levels.indexOf(level);
}

/** Whether two budgets count the same: the amount may differ. */
export function isSameBudget(a: BudgetSettings, b: BudgetSettings): boolean {
  return a.period === b.period && a.of?.dimension === b.of?.dimension && a.of?.name === b.of?.name;
}

/**
 * What is spent of a budget at a moment, as far as a snapshot shows: nodes that ran then are taken to run on. Null: the snapshot
 * was taken before there was such a budget, and is unknown.
 */
export function spentOf(spending: Spending, budget: BudgetSettings, nowSeconds: number): number | null {
  const budgetSpending = knownOf(spending, budget);
  if (budgetSpending === undefined) return null;
  const { asOfSeconds } = spending;
  const { spentUsd, usdPerHour } = budgetSpending;
  return reckonedOn(spentUsd, usdPerHour, {
    period: budget.period,
    fromSeconds: asOfSeconds,
    untilSeconds: nowSeconds,
  });
}

/** The sums of node arrays and of the cluster are there, whatever budgets were. One that has no sums yet had no nodes. */
function knownOf(
  { budgets, total, nodeArrays }: Spending,
  budget: BudgetSettings,
): { readonly spentUsd: number; readonly usdPerHour: number } | undefined {
  const { of, period } = budget;
  if (of !== null && of.dimension !== "nodeArray")
    return budgets.find((each) => isSameBudget(each.budget, budget));
  const sums = of === null ? total : nodeArrays.find(({ name }) => name === of.name);
  if (sums === undefined) return { spentUsd: 0, usdPerHour: 0 };
  return { spentUsd: period === "day" ? sums.dayUsd : sums.monthUsd, usdPerHour: sums.usdPerHour };
}

export interface Span {
  readonly period: BudgetPeriod | "hour";
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** A sum some time later, at its rate; if a new hour, day or month has begun, of that one. */
export function reckonedOn(spent: number, perHour: number, span: Span): number {
  const { period, fromSeconds, untilSeconds } = span;
  const start = periodStart(period, untilSeconds);
  const hours = Math.max(0, untilSeconds - Math.max(fromSeconds, start)) / hourSeconds;
  return (start <= fromSeconds ? spent : 0) + hours * perHour;
}
