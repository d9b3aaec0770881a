import { z } from "zod";
import { type Answer, aboutCluster, count, paged, pageQuery } from "./answer.ts";
import { demandParts } from "./demand-schema.ts";
import { operationView } from "./operations-schema.ts";
import { planRecord, planSummary } from "./plan-summary.ts";

/** `GET /api/clusters/{cluster}/plans`, newest first */
export const plansAnswer = z
  .object({ ...aboutCluster, plans: z.array(planRecord), ...paged })
  .meta({ id: "Plans" });

export const plansQuery = z.object(pageQuery);

export const planAnswer = z
  .object({
    ...aboutCluster,
    summary: planRecord.describe("Where its archive is failed, the lists beside it are empty"),
    ...demandParts,
    operations: z
      .array(operationView)
      .describe("What became of its actions, as far as they are still recorded"),
  })
  .meta({ id: "Plan" });

export const planArchiveAnswer = z
  .object({
    ...aboutCluster,
    archive: z
      .object({
        summary: planSummary,
        input: z.record(z.string(), z.unknown()).describe("What the planner was given"),
        plan: z.record(z.string(), z.unknown()).describe("What it made of that"),
        actions: z.array(z.record(z.string(), z.unknown())),
        shapes: z
          .array(z.record(z.string(), z.unknown()))
          .describe("What jobs have in common, which name it by place"),
        reasons: z.array(z.array(z.unknown())).describe("Why jobs wait, which name it by place"),
        reasonsLeftOut: count.describe(
          "Jobs whose reasons were too long to keep; the input gives them again",
        ),
      })
      .nullable()
      .describe(
        "Its form follows the planner's, and changes with it; secrets are `***`. Null: the plan was not archived whole",
      ),
    archiveReason: z.string().nullable().describe("Why the plan was not archived whole; null when it was"),
    secretsRemoved: z
      .boolean()
      .describe("true: something was replaced by `***`, and the plan made again may differ for that"),
  })
  .meta({ id: "PlanArchive" });

const planChange = z
  .object({
    about: z
      .enum(["setting", "cap", "limit", "target", "node", "job", "create", "start", "retire", "waiting"])
      .describe(
        "setting, cap, limit, target, node, job: what the plan was made from; create, start, retire, waiting: what it decided",
      ),
    name: z.string().describe("Path of a setting, name of a limit, a node or a job; of create the bucket"),
    before: z.string().nullable().describe("Null: the plan before has none"),
    after: z.string().nullable(),
  })
  .meta({ id: "PlanChange" });

export const planDifferenceAnswer = z
  .object({
    ...aboutCluster,
    before: planRecord,
    after: planRecord,
    changes: z.array(planChange).describe("At most 200 of each kind; empty: both are alike"),
    counts: z.record(z.string(), count).describe("How many changes of each kind there are"),
    reason: z.string().nullable().describe("Why they cannot be compared; null: they were"),
  })
  .meta({ id: "PlanDifference" });

export const planDifferenceQuery = z.object({
  before: z.string().min(1).max(200).describe("Id of the plan that it is compared with"),
});

export type PlanChange = Answer<typeof planChange>;
export type PlanDifferenceAnswer = Answer<typeof planDifferenceAnswer>;
export type PlanArchiveAnswer = Answer<typeof planArchiveAnswer>;
export type PlansAnswer = Answer<typeof plansAnswer>;
export type PlanAnswer = Answer<typeof planAnswer>;
