import { z } from "zod";
import { placements } from "../engine/index.ts";
import { type Answer, aboutCluster, count } from "./answer.ts";
import { demandAnswer, plannedAddition } from "./demand-schema.ts";
import { explainAnswer, refusalView } from "./explain-schema.ts";
import { selection } from "./selection-schema.ts";

/** `POST /api/clusters/{cluster}/what-if`: a plan with extra jobs; nothing is sent. */
export const whatIfBody = z
  .object({
    jobs: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(1_000)
      .describe("Jobs as in a demand message; `name` may be left out"),
    placement: z
      .enum(placements)
      .optional()
      .describe("Plans as if `placement` of the configuration were this, for all node arrays"),
    nodes: selection.optional().describe("Of the plan, only what is about these nodes, as in `demand`"),
  })
  .strict()
  .meta({ id: "WhatIfRequest" });

const jobsCost = z
  .object({
    usdPerHour: z.number().describe("Their shares of the nodes on which they have a place"),
    usd: z
      .number()
      .nullable()
      .describe("That, for their whole run times; null: of none of them a run time is known"),
    untimedJobs: count.describe("Jobs with a place and without a run time: `usd` leaves them out"),
    unpricedJobs: count.describe("Jobs with a place on a node without a known price: both leave them out"),
  })
  .describe("What the extra jobs will cost, as the accounts will count it: an estimate, not the bill");

export const whatIfAnswer = z
  .object({
    ...demandAnswer.shape,
    extra: z.array(explainAnswer).describe("What became of the extra jobs, in their order; at most 100"),
    more: z.object({
      create: count.describe("Nodes that are created on top of what would be created without them"),
      start: count,
      additions: z
        .array(plannedAddition)
        .describe("Both by node array and size, as far as there are more than without the extra jobs"),
      waitingCount: count.describe("Extra jobs that did not get all they asked for"),
      cost: jobsCost,
    }),
  })
  .meta({ id: "WhatIf" });

export type JobsCost = Answer<typeof jobsCost>;
export type WhatIfBody = Answer<typeof whatIfBody>;
export type WhatIfAnswer = Answer<typeof whatIfAnswer>;

/** `POST /api/clusters/{cluster}/validate-constraint` */
export const validateConstraintBody = z
  .object({
    constraints: z.unknown().describe("An object, or a list of objects, as in a job"),
    nodes: selection
      .optional()
      .describe("Only these nodes and, as in `buckets`, the buckets that are selected with them"),
  })
  .strict()
  .meta({ id: "ValidateConstraintRequest" });

export const validateConstraintAnswer = z
  .object({
    ...aboutCluster,
    ok: z.boolean().describe("Whether they can be read"),
    problems: z.array(z.object({ path: z.string(), message: z.string() })),
    parsed: z.array(z.string()).describe("Each constraint as it was understood"),
    buckets: z
      .array(
        z.object({
          nodeArray: z.string(),
          vmSize: z.string(),
          placementGroup: z.string().nullable(),
          fits: z.boolean().describe("Whether an empty node of the bucket satisfies them"),
          refusals: z.array(refusalView),
        }),
      )
      .describe("Empty when they cannot be read"),
    matchingNodes: z.array(z.string()).describe("Nodes that they match as they are, the first 100 by name"),
    matchingNodeCount: count,
  })
  .meta({ id: "ValidateConstraint" });

export type ValidateConstraintBody = Answer<typeof validateConstraintBody>;
export type ValidateConstraintAnswer = Answer<typeof validateConstraintAnswer>;
