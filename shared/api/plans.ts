import { z } from "zod";
import { type Answer, aboutCluster, paged, pageQuery } from "./answer.ts";
import { demandParts } from "./demand.ts";
import { operationView } from "./operations.ts";
import { planSummary } from "./plan-summary.ts";

/** `GET /api/clusters/{cluster}/plans`, newest first */
export const plansAnswer = z
  .object({ ...aboutCluster, plans: z.array(planSummary), ...paged })
  .meta({ id: "Plans" });

export const plansQuery = z.object(pageQuery);

/** `GET /api/clusters/{cluster}/plans/{planId}` */
export const planAnswer = z
  .object({
    ...aboutCluster,
    summary: planSummary,
    ...demandParts,
    operations: z
      .array(operationView)
      .describe("What became of its actions, as far as they are still recorded"),
  })
  .meta({ id: "Plan" });

export type PlansAnswer = Answer<typeof plansAnswer>;
export type PlanAnswer = Answer<typeof planAnswer>;
