import { z } from "zod";
import { type Answer, count, unixSeconds } from "./answer.ts";

/** One line of the plan index: what a plan decided, in counts. */
export const planSummary = z
  .object({
    cluster: z.string(),
    planId: z.string(),
    atSeconds: unixSeconds,
    reason: z.string().describe("What asked for the plan"),
    jobs: count,
    placedJobs: count.describe("Jobs that run, or got all they asked for"),
    create: count.describe("Nodes"),
    start: count.describe("Nodes"),
    retire: count.describe("Nodes"),
    readOnly: z.boolean(),
    held: z.string().optional().describe("Why nothing of it was sent; absent when it was"),
  })
  .meta({ id: "PlanSummary" });

/** A job that did not get all it asked for, and why, in sentences. */
export const waitingJob = z
  .object({ job: z.string(), asked: count, granted: count, why: z.array(z.string()) })
  .meta({ id: "WaitingJob" });

export type PlanSummaryView = Answer<typeof planSummary>;
export type WaitingJobView = Answer<typeof waitingJob>;
