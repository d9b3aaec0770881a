import { z } from "zod";
import { capNames, demandCapNames } from "../engine/index.ts";
import { type Answer, count, unixSeconds } from "./answer.ts";
import { named, optional, orNull } from "./builders.ts";

const clipping = named("Clipping", {
  asked: count.describe("What jobs and targets would have got without caps"),
  granted: count,
  by: z.array(
    z.object({
      cap: z.enum(capNames),
      max: z.number().describe("Nodes, cores or US dollars"),
      used: z
        .number()
        .describe(
          "What was taken of it before the plan; of money: what is spent, and an hour of all that runs",
        ),
      jobs: count.describe("Jobs that it kept from getting all they asked for"),
      targets: count.describe("Targets that it kept from being met"),
    }),
  ),
});

const heldBack = named("HeldBack", {
  cap: z.enum(demandCapNames),
  limit: count,
  asked: orNull(count, "The most that one job wants; null: known only once it was granted"),
  jobs: count.describe("Jobs that wait because of it"),
  hosts: count.describe("Hosts of schedulers that are not planned with because of it"),
  first: z.string().describe("The first of them"),
});

/** One line of the plan index: what a plan decided, in counts. */
export const planSummary = named("PlanSummary", {
  cluster: z.string(),
  planId: z.string(),
  atSeconds: unixSeconds,
  reason: z.string().describe("What asked for the plan"),
  jobs: count,
  placedJobs: count.describe("Jobs that run, or got all they asked for"),
  create: count.describe("Nodes"),
  start: count.describe("Nodes"),
  retire: count.describe("Nodes"),
  planSeconds: z.number().describe("How long it took to work out, without reading and writing"),
  readOnly: z.boolean(),
  held: optional(z.string(), "Why nothing of it was sent; absent when it was"),
  clipped: optional(clipping, "What caps held back; absent: nothing"),
  heldBack: optional(z.array(heldBack), "What caps on demand held back; absent: nothing"),
});

/** The same with what is kept of the plan. */
export const planRecord = planSummary
  .extend({
    archive: z
      .enum(["whole", "summary", "failed"])
      .describe(
        "whole: it can be made again; summary: only what it decided is kept; failed: only this line is",
      ),
    archiveReason: optional(z.string(), "Why it is not kept whole; absent when it is"),
    archivedBytes: optional(
      count,
      "What it takes in the archive, compressed; absent: only this line is kept",
    ),
  })
  .meta({ id: "PlanRecord" });

export const waitingJob = named("WaitingJob", {
  job: z.string(),
  asked: count,
  granted: count,
  why: z.array(z.string()),
});

export type PlanRecordView = Answer<typeof planRecord>;
export type WaitingJobView = Answer<typeof waitingJob>;
