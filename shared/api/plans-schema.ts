import { z } from "zod";
import { type Answer, aboutCluster, count, paged, pageQuery } from "./answer.ts";
import { list, named, orNull } from "./builders.ts";
import { demandParts } from "./demand-schema.ts";
import { operationView } from "./operations-schema.ts";
import { planRecord, planSummary } from "./plan-summary.ts";

/** `GET /api/clusters/{cluster}/plans`, newest first */
export const plansAnswer = named("Plans", { ...aboutCluster, plans: z.array(planRecord), ...paged });

export const plansQuery = z.object(pageQuery);

export const planAnswer = named("Plan", {
  ...aboutCluster,
  summary: planRecord.describe("Where its archive is failed, the lists beside it are empty"),
  ...demandParts,
  operations: list(operationView, "What became of its actions, as far as they are still recorded"),
});

export const planArchiveAnswer = named("PlanArchive", {
  ...aboutCluster,
  archive: orNull(
    z.object({
      summary: planSummary,
      input: z.record(z.string(), z.unknown()).describe("What the planner was given"),
      plan: z.record(z.string(), z.unknown()).describe("What it made of that"),
      actions: z.array(z.record(z.string(), z.unknown())),
      shapes: list(z.record(z.string(), z.unknown()), "What jobs have in common, which name it by place"),
      reasons: list(z.array(z.unknown()), "Why jobs wait, which name it by place"),
      reasonsLeftOut: count.describe("Jobs whose reasons were too long to keep; the input gives them again"),
    }),
    "Its form follows the planner's, and changes with it; secrets are `***`. Null: the plan was not archived whole",
  ),
  archiveReason: orNull(z.string(), "Why the plan was not archived whole; null when it was"),
  secretsRemoved: z
    .boolean()
    .describe("true: something was replaced by `***`, and the plan made again may differ for that"),
});

const planChange = named("PlanChange", {
  about: z
    .enum(["setting", "cap", "limit", "target", "node", "job", "create", "start", "retire", "waiting"])
    .describe(
      "setting, cap, limit, target, node, job: what the plan was made from; create, start, retire, waiting: what it decided",
    ),
  name: z.string().describe("Path of a setting, name of a limit, a node or a job; of create the bucket"),
  before: orNull(z.string(), "Null: the plan before has none"),
  after: z.string().nullable(),
});

export const planDifferenceAnswer = named("PlanDifference", {
  ...aboutCluster,
  before: planRecord,
  after: planRecord,
  changes: list(planChange, "At most 200 of each kind; empty: both are alike"),
  counts: z.record(z.string(), count).describe("How many changes of each kind there are"),
  reason: orNull(z.string(), "Why they cannot be compared; null: they were"),
});

export const planDifferenceQuery = z.object({
  before: z.string().min(1).max(200).describe("Id of the plan that it is compared with"),
});

export type PlanChange = Answer<typeof planChange>;
export type PlanDifferenceAnswer = Answer<typeof planDifferenceAnswer>;
export type PlanArchiveAnswer = Answer<typeof planArchiveAnswer>;
export type PlansAnswer = Answer<typeof plansAnswer>;
export type PlanAnswer = Answer<typeof planAnswer>;
