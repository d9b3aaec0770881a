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
 * the bill. Columns unknown here (billing accounts, subscriptions) are empty. Disks of deallocated nodes and unused reservations, which
 * are in no total, have lines of their own.
 */
export function focusCsv({ cluster, rows, notInTotal }: CostAnswer): string {
  const ofNodes = rows.map(({ keys, usd, nodeHours }): Charge => {
    const { day, array, user, account, queue, purpose } = keys;
    return {
      day: String(day),
      usd,
      nodeHours,
      description: `${String(purpose)} on ${String(array)} nodes`,
      isDynamic: keys.spot === true,
      size: String(keys.size),
      tags: { CycleCloudNodeArray: array, user, account, queue, purpose },
    };
  });
  const beside = notInTotal.map(({ kind: purpose, name, keys: { day = "" }, usd, nodeHours }): Charge => {
    const amount = { day, usd, nodeHours };
    return purpose === "deallocated"
      ? {
          ...amount,
          description: `disks of deallocated ${name} nodes`,
          isDisk: true,
          tags: { CycleCloudNodeArray: name, purpose },
        }
      : {
          ...amount,
          description: `reserved by ${name} and not used`,
          tags: { reservation: name, purpose },
        };
  });
  const lines = [...ofNodes, ...beside].map((charge) => columnsOf(cluster, charge));
  return stringify(lines, { header: true, escape_formulas: true });
}

/** What was paid for one thing on one day. */
interface Charge {
  readonly day: string;
  readonly usd: number;
  readonly nodeHours: number;
  readonly description: string;
  readonly isDynamic?: boolean;
  readonly isDisk?: true;
  readonly size?: string;
  readonly tags: object;
}

function columnsOf(
  cluster: string,
  { day, usd, nodeHours, description, isDynamic, isDisk, size = "", tags }: Charge,
) {
  const start = new Date(`${day}T00:00:00Z`);
  const month = [start.getUTCFullYear(), start.getUTCMonth()] as const;
  return {
    BilledCost: usd,
    BillingAccountId: "",
    BillingCurrency: "USD",
    BillingPeriodEnd: new Date(Date.UTC(month[0], month[1] + 1)).toISOString(),
    BillingPeriodStart: new Date(Date.UTC(...month)).toISOString(),
    ChargeCategory: "Usage",
    ChargeDescription: description,
    ChargePeriodEnd: new Date(start.getTime() + dayMs).toISOString(),
    ChargePeriodStart: start.toISOString(),
    ConsumedQuantity: nodeHours,
    ConsumedUnit: "Hours",
    EffectiveCost: usd,
    ListCost: usd,
    PricingCategory: isDynamic ? "Dynamic" : "Standard",
    PricingQuantity: nodeHours,
    PricingUnit: "Hours",
    ProviderName: "Microsoft",
    PublisherName: "Microsoft",
    ResourceType: isDisk ? "Disk" : "Virtual machine",
    ServiceCategory: isDisk ? "Storage" : "Compute",
    ServiceName: isDisk ? "Storage" : "Virtual Machines",
    SkuId: size,
    Tags: JSON.stringify({ CycleCloudCluster: cluster, ...tags }),
  };
}
