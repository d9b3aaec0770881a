import { z } from "zod";
import { isRaisable, limitNames, ownerCapNames, placements } from "../engine/index.ts";
import { type Answer, aboutCluster, count } from "./answer.ts";
import { list, named, optional, orNull, request } from "./builders.ts";
import { demandAnswer, plannedAddition } from "./demand-schema.ts";
import { explainAnswer, refusalView } from "./explain-schema.ts";
import { selection } from "./selection-schema.ts";

const aJob = z.record(z.string(), z.unknown());

const changedJob = z
  .object({
    job: z.string().min(1).max(1_000).describe("Its name in its scheduler"),
    source: optional(z.string().min(1).max(50), "Where two sources use the same job name"),
    with: aJob.describe("What is different of it, as in a demand message; the rest stays as its source said"),
  })
  .describe("A job that waits, planned as if it asked for something else. It keeps its place in the queue");

/** Limits that somebody can raise. */
export const raisableLimits = [...limitNames.filter(isRaisable), ...ownerCapNames];

const raisedLimit = z.object({
  limit: z.enum(raisableLimits),
  scope: z
    .string()
    .min(1)
    .max(300)
    .describe("As `GET limits` has it: `htc`, `westeurope/standardFSv2Family`"),
  unit: z.enum(["nodes", "cores", "usd"]),
  more: z.number().positive().max(1e9).describe("By so much, in its unit"),
});

export const whatIfBody = z
  .object({
    jobs: z
      .array(aJob)
      .max(1_000)
      .default([])
      .describe("Extra jobs at the end of the queue, as in a demand message; `name` may be left out"),
    change: changedJob.optional(),
    limits: z
      .array(raisedLimit)
      .max(20)
      .default([])
      .describe("Plans as if these limits were higher. A quota that Azure refused lately stays refused"),
    placement: optional(
      z.enum(placements),
      "Plans as if `placement` of the configuration were this, for all node arrays",
    ),
    nodes: optional(selection, "Of the plan, only what is about these nodes, as in `demand`"),
    brief: z
      .boolean()
      .default(false)
      .describe("true: the lists of the whole plan are empty; its counts, and all about the jobs, are there"),
  })
  .strict()
  .refine(
    ({ jobs, change, limits, placement }) =>
      jobs.length > 0 || change !== undefined || limits.length > 0 || placement !== undefined,
    "expected at least one of jobs, change, limits and placement",
  )
  .meta({ id: "WhatIfRequest" });

const jobsCost = z
  .object({
    usdPerHour: z.number().describe("Their shares of the nodes on which they have a place"),
    usd: orNull(z.number(), "That, for their whole run times; null: of none of them a run time is known"),
    untimedJobs: count.describe("Jobs with a place and without a run time: `usd` leaves them out"),
    unpricedJobs: count.describe("Jobs with a place on a node without a known price: both leave them out"),
  })
  .describe("What jobs will cost, as the accounts will count it: an estimate, not the bill");

const otherJob = z.object({
  job: z.string(),
  source: z.string().nullable(),
  asked: count,
  before: count.describe("Granted by the plan as it is"),
  after: count,
  why: orNull(z.string(), "Of one that gets less: why, in a sentence"),
});

const nextLimit = z.object({
  limit: z.string(),
  scope: z.string(),
  unit: z.enum(["nodes", "cores", "usd"]),
  waitingJobs: count,
  waitingCores: count,
  text: z.string().describe("The same in a sentence"),
});

export const whatIfAnswer = named("WhatIf", {
  ...demandAnswer.shape,
  extra: list(explainAnswer, "What became of the extra jobs, in their order; at most 100"),
  more: z.object({
    create: count.describe("Nodes that are created on top of what would be created without them"),
    start: count,
    additions: list(
      plannedAddition,
      "Both by node array and size, as far as there are more than without the extra jobs",
    ),
    fewer: list(plannedAddition, "What is not needed any more, in the same way"),
    waitingCount: count.describe("Extra jobs that did not get all they asked for"),
    cost: jobsCost.describe("Of the extra jobs and the changed one"),
    netUsdPerHour: orNull(
      z.number(),
      "By how much an hour of all nodes costs more: new and started ones, less those that are not needed any more or would go; null: a price is not known",
    ),
    gone: count.describe("Nodes that would go, and would stay as it is"),
    bindsNext: list(
      nextLimit,
      "With higher limits that let no job have more: what most waits for then, at most 3",
    ),
  }),
  changed: orNull(
    z.object({
      before: explainAnswer.describe("As a plan would be made now"),
      after: explainAnswer,
      costBefore: jobsCost,
    }),
    "The job of `change`; null: there is none",
  ),
  others: z
    .object({
      better: count.describe("That get more than without this"),
      worse: count.describe("That get less"),
      first: list(otherJob, "Of both, in the order of the queue; at most 20"),
    })
    .describe("Jobs of the queue apart from the changed one"),
});

export type JobsCost = Answer<typeof jobsCost>;
type WhatIfBody = Answer<typeof whatIfBody>;
/** As a caller sends it: what has a default may be left out. */
export type WhatIfAsked = Partial<WhatIfBody>;
export type WhatIfAnswer = Answer<typeof whatIfAnswer>;

export const quoteBody = request("QuoteRequest", {
  jobs: z
    .array(aJob)
    .min(1)
    .max(1_000)
    .describe("Planned together at the end of the queue, as in a demand message; `name` may be left out"),
  bySeconds: optional(z.number(), "Unix seconds: only ways that are done by then"),
});

const quotedWay = named("QuotedWay", {
  kind: z
    .enum(["planned", "other-size", "wait"])
    .describe(
      "`planned`: what the next plan would do; `other-size`: if the jobs asked for this array and size; `wait`: once runs that are under way have ended, on their nodes",
    ),
  nodeArrays: z.array(z.string()),
  vmSizes: z.array(z.string()),
  spot: z.boolean().describe("Whether any of its nodes is one that Azure may take away"),
  nodes: count,
  newNodes: count.describe("Of these, nodes that would be created or started"),
  waiting: count.describe("Jobs that have no place, or not for all of it: then there is no cost and no time"),
  usd: orNull(
    z.number(),
    "From the request for new nodes to the end of their idle time; of shared nodes its share, of nodes that are there its run time. Null: it cannot be told, see `why`",
  ),
  startsAtSeconds: orNull(z.number(), "When the last of it starts; null: it cannot be told"),
  doneAtSeconds: orNull(z.number(), "By the run times given or known; null: it cannot be told"),
  why: orNull(z.string(), "Why there is no cost; null: there is one"),
});

export const quoteAnswer = named("Quote", {
  ...aboutCluster,
  ways: z.array(quotedWay).max(3).describe("The recommended one first: the cheapest with a known cost"),
  reason: z.string().describe("Why the first is recommended, or why there is none"),
});

export type QuoteAsked = Answer<typeof quoteBody>;
export type QuotedWay = Answer<typeof quotedWay>;
export type QuoteAnswer = Answer<typeof quoteAnswer>;

export const validateConstraintBody = request("ValidateConstraintRequest", {
  constraints: z.unknown().describe("An object, or a list of objects, as in a job"),
  nodes: optional(
    selection,
    "Only these nodes and, as in `buckets`, the buckets that are selected with them",
  ),
});

export const validateConstraintAnswer = named("ValidateConstraint", {
  ...aboutCluster,
  ok: z.boolean().describe("Whether they can be read"),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
  parsed: list(z.string(), "Each constraint as it was understood"),
  buckets: list(
    z.object({
      nodeArray: z.string(),
      vmSize: z.string(),
      placementGroup: z.string().nullable(),
      fits: z.boolean().describe("Whether an empty node of the bucket satisfies them"),
      refusals: z.array(refusalView),
    }),
    "Empty when they cannot be read",
  ),
  matchingNodes: list(z.string(), "Nodes that they match as they are, the first 100 by name"),
  matchingNodeCount: count,
});

export type ValidateConstraintBody = Answer<typeof validateConstraintBody>;
export type ValidateConstraintAnswer = Answer<typeof validateConstraintAnswer>;
