import { z } from "zod";
import { jobWhereKeys } from "../names/where-keys.ts";
import { type Answer, aboutCluster, count, flag, paged, unixSeconds, wholeListQuery } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { selectionQuery } from "./selection-schema.ts";
import { whereQuery } from "./where-schema.ts";

export const jobState = z
  .enum(["running", "placed", "booting", "partly", "waiting", "set-aside"])
  .describe(
    "running: its scheduler says so; placed: nodes that are up can take it; booting: its nodes are coming; partly: some of it has a place; waiting: none of it has; set-aside: it does not check out, so nothing is planned for it, and where it runs its nodes stay",
  );

const jobView = named("Job", {
  job: z.string().describe("Any text: whoever shows it escapes control characters"),
  source: orNull(z.string(), "The scheduler that it comes from"),
  state: jobState,
  unit: z.enum(["slots", "nodes"]).describe("What `asked` and `granted` count"),
  asked: count,
  granted: count,
  nodes: list(z.string(), "Where it runs or would go, at most 20 names"),
  nodeCount: count.describe("How many nodes that are in all"),
  priority: z.number(),
  submittedAtSeconds: unixSeconds.nullable(),
  startedAtSeconds: orNull(unixSeconds, "Of a job that runs; null when its source does not say"),
  runtimeSeconds: orNull(
    z.number(),
    "How long it runs at most, or probably: as its source says, or less if earlier jobs of its user under its name ran for less; null when nobody knows",
  ),
  interruptible: orNull(z.boolean(), "Whether it may be stopped and run again; null: not told"),
  user: orNull(z.string(), "Any text, like all names of people and things here; null: not told"),
  account: z.string().nullable(),
  queue: z.string().nullable(),
  jobName: orNull(z.string(), "Its user's name for it, which many jobs may share"),
  reasonCode: orNull(z.string(), "Why it did not get all it asked for; null when it did"),
  reason: orNull(z.string(), "The same in a sentence; `explain` tells more"),
  waitingReason: orNull(
    z.string(),
    "Why it waits in its scheduler's words; null: it runs, or its source does not say",
  ),
  spot: orNull(
    z.object({
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
      patienceLeftSeconds: orNull(
        z.number(),
        "How much longer it waits for a spot node; null: it does not wait for one",
      ),
      evictions: count.describe("Spot nodes that it lost"),
    }),
    "Of a job that waits, where spot arrays are paired; null otherwise",
  ),
  evictions: optional(
    count,
    "Spot nodes that it lost, of those that are known for 30 days; jobs that are over are not listed",
  ),
  request: optional(
    z.record(z.string(), z.unknown()).nullable(),
    "Only with `request` in the query: what it asks for as its source sent it (constraints, iterations, colocated, exclusive, packingStrategy, executingHostnames, ...), without secrets; null: of a job that was set aside",
  ),
  warnings: list(z.string(), "Keys of it that are not understood, and what was probably meant"),
});

/** `GET /api/clusters/{cluster}/jobs`, in the order of the queue */
export const jobsAnswer = named("Jobs", {
  ...aboutCluster,
  counts: z.record(jobState, count).describe("Jobs in each state, whatever the query left out"),
  jobs: z.array(jobView),
  silent: list(
    z.object({ source: z.string(), jobs: count }),
    "Sources that fell silent, and how many of their jobs count for nothing and are not listed",
  ),
  ...paged,
});

/** With a selection: jobs that run on a selected node, or have a place there. */
export const jobsQuery = z.object({
  ...wholeListQuery,
  ...selectionQuery,
  where: whereQuery(jobWhereKeys),
  state: jobState.optional(),
  source: z.string().min(1).max(50).optional(),
  request: optional(flag, "true: each job with what it asks for, which makes long lists longer"),
});

export type JobState = Answer<typeof jobState>;
export type JobView = Answer<typeof jobView>;
export type JobsAnswer = Answer<typeof jobsAnswer>;
export type JobsQuery = Answer<typeof jobsQuery>;
