import { monthOf, periodEnd } from "../../accounting/index.ts";
import type { Caps, SpentBudget } from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { BackedOff, BudgetSettings, ClusterConfig, CycleSettings, Snapshot } from "../../ports/index.ts";
import { inCents } from "../../prices/index.ts";
import { budgetsOf, namesOf, spentOf } from "./budgets.ts";

/** The caps that the engine applies; undefined: nothing is capped. */
export function capsAt(
  cycle: Pick<CycleSettings, "caps" | "budgets">,
  { spending }: Pick<Snapshot, "spending">,
  nowSeconds: number,
): Caps | undefined {
  const { caps } = cycle;
  if (caps === undefined) return undefined;
  const cluster = budgetsOf(cycle).find(({ of }) => of === null);
  const budget =
    cluster === undefined
      ? null
      : { maxUsd: cluster.usd, spentUsd: spentOf(spending, cluster, nowSeconds) ?? cluster.usd };
  const { monthlyBudgetUsd: _, ...others } = caps;
  return { ...others, budget };
}

/** Which jobs a spent budget holds: those whose user, account or queue has one of these names. */
export interface JobHold {
  readonly by: "user" | "account" | "queue";
  readonly names: readonly (string | null)[];
  readonly budget: SpentBudget;
}

/** What budgets hold at a moment: those that are spent, and those whose spending is unknown. */
export function jobHoldsAt(
  { cycle: { budgets = [] } }: Pick<ClusterConfig, "cycle">,
  { spending }: Pick<Snapshot, "spending">,
  nowSeconds: number,
): readonly JobHold[] {
  return budgets.flatMap((budget): readonly JobHold[] => {
    const { of, hold, name, usd: maxUsd } = budget;
    if (of === null || of.dimension === "nodeArray" || !hold) return [];
    const spentUsd = spentOf(spending, budget, nowSeconds);
    if (spentUsd !== null && spentUsd < maxUsd) return [];
    const names = namesOf(spending, budget, of);
    return [{ by: of.dimension, names, budget: { name, maxUsd, spentUsd } }];
  });
}

/** The first budget that holds a job; the same object for all jobs of it. */
export function holdOf(
  holds: readonly JobHold[],
  job: Pick<DemandJob, "user" | "account" | "queue">,
): SpentBudget | undefined {
  return holds.find(({ by, names }) => names.includes(job[by] ?? null))?.budget;
}

/**
 * Buckets that get no new nodes: those of node arrays whose budget is spent, and under a budget that holds, those whose price is
 * not known. A budget cannot limit what it cannot count.
 */
export function heldBuckets(
  { cycle: { budgets = [] } }: Pick<ClusterConfig, "cycle">,
  { cluster, spending }: Pick<Snapshot, "cluster" | "spending">,
  nowSeconds: number,
): readonly BackedOff[] {
  return budgets.flatMap((budget) => {
    const { of, hold } = budget;
    if (!hold || of === null) return [];
    const arrays = cluster.nodeArrays.filter(({ name }) => of.dimension !== "nodeArray" || name === of.name);
    const spentUsd = of.dimension === "nodeArray" ? spentOf(spending, budget, nowSeconds) : 0;
    const isSpent = spentUsd === null || spentUsd >= budget.usd;
    return arrays.flatMap(({ name, buckets }) =>
      buckets.flatMap(({ vmSize, pricePerHourUsd }): readonly BackedOff[] => {
        const untilSeconds = periodEnd(budget.period, nowSeconds);
        const held = { nodeArray: name, vmSize, untilSeconds, budget: budget.name };
        if (isSpent) return [{ ...held, why: spentText(budget, spentUsd, nowSeconds) }];
        if (pricePerHourUsd !== null) return [];
        const why = `its price is not known, so that budget "${budget.name}" could not count it`;
        return [{ ...held, why, isUnpriced: true }];
      }),
    );
  });
}

function spentText(
  { name, usd, period }: BudgetSettings,
  spentUsd: number | null,
  nowSeconds: number,
): string {
  const when =
    period === "month" ? monthOf(nowSeconds) : new Date(nowSeconds * 1_000).toISOString().slice(0, 10);
  const spent = spentUsd === null ? "an unknown amount" : `${inCents(spentUsd)}`;
  return `budget "${name}" is spent: ${spent} of ${usd} USD of ${when}`;
}
