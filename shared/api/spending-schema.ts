import { z } from "zod";
import { type Answer, count, unixSeconds } from "./answer.ts";
import { list, named, orNull } from "./builders.ts";

const usd = z.number();

const budgetStatus = named("BudgetStatus", {
  name: z.string(),
  of: orNull(
    z.object({
      dimension: z.enum(["nodeArray", "user", "account", "queue"]),
      name: z.string().describe("unknown: also jobs that name none"),
    }),
    "Whose costs it counts; null: the cluster's",
  ),
  period: z.enum(["day", "month"]).describe("Calendar day or month, UTC"),
  limitUsd: usd,
  hold: z.boolean().describe("Whether nothing new is bought for it once it is spent"),
  level: z.enum(["within", "near", "reached"]).describe("near: 80 % are spent; reached: all"),
  spentUsd: usd.describe("In the day or month of `asOfSeconds`"),
  leftUsd: usd.describe("0 when it is overspent"),
  usdPerHour: usd.describe("What an hour costs now"),
  unpricedNodeHours: z.number().describe("On nodes whose price is not known; `spentUsd` leaves them out"),
  untilSeconds: unixSeconds.describe("When the day or month ends"),
  sustainableUsdPerHour: usd.describe("What an hour may cost on average until then to stay in the budget"),
  spentAtSeconds: orNull(
    unixSeconds,
    "When it is spent if what runs now runs on; null when it lasts until then",
  ),
});

const sums = {
  hourUsd: usd.describe("This hour, UTC"),
  dayUsd: usd.describe("Today, UTC"),
  monthUsd: usd.describe("This month, UTC: the total of `GET cost`"),
  forecastUsd: usd.describe(
    "The whole month: so far, and each day to come what the same day of the week cost last",
  ),
  usdPerHour: usd.describe("What nodes cost now"),
  unpricedNodes: count.describe("Nodes whose price is not known; the sums leave them out"),
  unpricedNodeHours: z.number().describe("Of this month"),
};

const idleMoney = z.object({
  nodes: count,
  usdPerHour: orNull(z.number(), "Null: the price of one or more is not known"),
});

/** An estimate by the prices of VM sizes, not the bill. */
export const spendingStatus = named("SpendingStatus", {
  asOfSeconds: unixSeconds.describe("Until when it is counted"),
  reckonedSinceSeconds: orNull(
    unixSeconds,
    "Set: the accounts cannot be read, and since then it is reckoned by what runs",
  ),
  month: z.string().describe("Calendar month, UTC, such as 2026-11"),
  ...sums,
  reservedNodes: count.describe("Nodes that reservations pay; the sums leave them out"),
  unusedReservations: idleMoney.describe(
    "Nodes that reservations pay and nobody runs; paid all the same, and in no sum",
  ),
  deallocatedNodes: idleMoney.describe("Their disks are in no sum"),
  pricesAsOfSeconds: orNull(
    unixSeconds,
    "The oldest date of the list prices that the cluster's sizes have; null: none is from a list",
  ),
  nodeArrays: list(z.object({ nodeArray: z.string(), ...sums }), "The dearest first"),
  budgets: list(budgetStatus, "That of monthly_budget_usd first"),
});

export type SpendingStatus = Answer<typeof spendingStatus>;
export type BudgetStatus = Answer<typeof budgetStatus>;
