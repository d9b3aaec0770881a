import { z } from "zod";
import { jobWhereKeys } from "../names/where-keys.ts";
import { type Answer, aboutCluster, count, flag, paged, unixSeconds, wholeListQuery } from "./answer.ts";
import { selectionQuery } from "./selection-schema.ts";
import { whereQuery } from "./where-schema.ts";

export const jobState = z
  .enum(["running", "placed", "booting", "partly", "waiting", "set-aside"])
  .describe(
    "running: its scheduler says so; placed: nodes that are up can take it; booting: its nodes are coming; partly: some of it has a place; waiting: none of it has; set-aside: it does not check out, so nothing is planned for it, and where it runs its nodes stay",
  );

const jobView = z
  .object({
    job: z.string().describe("Any text: whoever shows it escapes control characters"),
    source: z.string().nullable().describe("The scheduler that it comes from"),
    state: jobState,
    unit: z.enum(["slots", "nodes"]).describe("What `asked` and `granted` count"),
    asked: count,
    granted: count,
    nodes: z.array(z.string()).describe("Where it runs or would go, at most 20 names"),
    nodeCount: count.describe("How many nodes that are in all"),
    priority: z.number(),
    submittedAtSeconds: unixSeconds.nullable(),
    startedAtSeconds: unixSeconds
      .nullable()
      .describe("Of a job that runs; null when its source does not say"),
    runtimeSeconds: z
      .number()
      .nullable()
      .describe(
        "How long it runs at most, or probably: as its source says, or less if earlier jobs of its user under its name ran for less; null when nobody knows",
      ),
    interruptible: z.boolean().nullable().describe("Whether it may be stopped and run again; null: not told"),
    user: z
      .string()
      .nullable()
      .describe("Any text, like all names of people and things here; null: not told"),
    account: z.string().nullable(),
    queue: z.string().nullable(),
    jobName: z.string().nullable().describe("Its user's name for it, which many jobs may share"),
    reasonCode: z.string().nullable().describe("Why it did not get all it asked for; null when it did"),
    reason: z.string().nullable().describe("The same in a sentence; `explain` tells more"),
    waitingReason: z
      .string()
      .nullable()
      .describe("Why it waits in its scheduler's words; null: it runs, or its source does not say"),
    spot: z
      .object({
        stance: z
          .enum([
            "first",
            "SpotNotInterruptible",
            "SpotRunTimeTooLong",
            "SpotEvictedTooOften",
            "SpotPatienceOver",
          ])
          .describe(
            "first: spot nodes before regular ones; otherwise why it stays off them, while regular nodes have room",
          ),
        patienceLeftSeconds: z
          .number()
          .nullable()
          .describe("How much longer it waits for a spot node; null: it does not wait for one"),
        evictions: count.describe("Spot nodes that it lost"),
      })
      .nullable()
      .describe("Of a job that waits, where spot arrays are paired; null otherwise"),
    evictions: count
      .optional()
      .describe(
        "Spot nodes that it lost, of those that are known for 30 days; jobs that are over are not listed",
      ),
    request: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe(
        "Only with `request` in the query: what it asks for as its source sent it (constraints, iterations, colocated, exclusive, packingStrategy, executingHostnames, ...), without secrets; null: of a job that was set aside",
      ),
    warnings: z.array(z.string()).describe("Keys of it that are not understood, and what was probably meant"),
  })
  .meta({ id: "Job" });

/** `GET /api/clusters/{cluster}/jobs`, in the order of the queue */
export const jobsAnswer = z
  .object({
    ...aboutCluster,
    counts: z.record(jobState, count).describe("Jobs in each state, whatever the query left out"),
    jobs: z.array(jobView),
    silent: z
      .array(z.object({ source: z.string(), jobs: count }))
      .describe("Sources that fell silent, and how many of their jobs count for nothing and are not listed"),
    ...paged,
  })
  .meta({ id: "Jobs" });

/** With a selection: jobs that run on a selected node, or have a place there. */
export const jobsQuery = z.object({
  ...wholeListQuery,
  ...selectionQuery,
  where: whereQuery(jobWhereKeys),
  state: jobState.optional(),
  source: z.string().min(1).max(50).optional(),
  request: flag.optional().describe("true: each job with what it asks for, which makes long lists longer"),
});

export type JobState = Answer<typeof jobState>;
export type JobView = Answer<typeof jobView>;
export type JobsAnswer = Answer<typeof jobsAnswer>;
export type JobsQuery = Answer<typeof jobsQuery>;
