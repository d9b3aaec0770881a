import { stringify } from "csv-stringify/sync";
import type { CostAnswer, CostDimensionName } from "../../../shared/api/index.ts";

/** A FOCUS line holds the cost of one day for one combination of all dimensions. */
export const focusDimensions: readonly CostDimensionName[] = [
  "day",
  "array",
  "size",
  "spot",
  "user",
  "account",
  "queue",
  "purpose",
];

const dayMs = 86_400_000;

/**
 * Costs in the columns of FOCUS 1.0 (FinOps Open Cost and Usage Specification, focus.finops.org). The tags
 * `CycleCloudCluster` and `CycleCloudNodeArray` are those that CycleCloud gives the VMs, so that lines can be joined with
 * the bill. Columns unknown here (billing accounts, subscriptions) are empty.
 */
export function focusCsv({ cluster, rows }: CostAnswer): string {
  const lines = rows.map(({ keys, usd, nodeHours }) => {
    const start = new Date(`${String(keys.day)}T00:00:00Z`);
    const month = [start.getUTCFullYear(), start.getUTCMonth()] as const;
    const tags = {
      CycleCloudCluster: cluster,
      CycleCloudNodeArray: keys.array,
      user: keys.user,
      account: keys.account,
      queue: keys.queue,
      purpose: keys.purpose,
    };
    return {
      BilledCost: usd,
      BillingAccountId: "",
      BillingCurrency: "USD",
      BillingPeriodEnd: new Date(Date.UTC(month[0], month[1] + 1)).toISOString(),
      BillingPeriodStart: new Date(Date.UTC(...month)).toISOString(),
      ChargeCategory: "Usage",
      ChargeDescription: `${String(keys.purpose)} on ${String(keys.array)} nodes`,
      ChargePeriodEnd: new Date(start.getTime() + dayMs).toISOString(),
      ChargePeriodStart: start.toISOString(),
      ConsumedQuantity: nodeHours,
      ConsumedUnit: "Hours",
      EffectiveCost: usd,
      ListCost: usd,
      PricingCategory: keys.spot === true ? "Dynamic" : "Standard",
      PricingQuantity: nodeHours,
      PricingUnit: "Hours",
      ProviderName: "Microsoft",
      PublisherName: "Microsoft",
      ResourceType: "Virtual machine",
      ServiceCategory: "Compute",
      ServiceName: "Virtual Machines",
      SkuId: keys.size,
      Tags: JSON.stringify(tags),
    };
  });
  return stringify(lines, { header: true, escape_formulas: true });
}
