import type { Caps } from "../../engine/index.ts";
import type { CycleSettings, Snapshot } from "../../ports/index.ts";
import { budgetsOf, spentUntil } from "./budgets.ts";

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
      : { maxUsd: cluster.usd, spentUsd: spentUntil(spending, cluster, nowSeconds) ?? cluster.usd };
  const { maxNodesPerPlan, maxCores } = caps;
  return { maxNodesPerPlan, maxCores, budget };
}
