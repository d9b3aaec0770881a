import { z } from "zod";
import { count, unixSeconds } from "./answer.ts";

/** What an operator decided about a node, and why. */
export const nodeDecision = z
  .object({
    nodeId: z.string(),
    name: z.string(),
    by: z.string(),
    reason: z.string(),
    atSeconds: unixSeconds,
    untilSeconds: unixSeconds.optional().describe("When it ends by itself; absent: when somebody ends it"),
  })
  .meta({ id: "NodeDecision" });

/** A bucket that is asked for no new nodes. */
export const backedOff = z
  .object({
    nodeArray: z.string(),
    vmSize: z.string(),
    untilSeconds: unixSeconds,
    why: z.string(),
    budget: z.string().optional().describe("Name of the budget that allows none; absent: no budget is why"),
    isUnpriced: z
      .boolean()
      .optional()
      .describe("True: the budget is not spent, but could not count such nodes"),
  })
  .meta({ id: "BackedOffBucket" });

/** What was bought and why, how spot nodes do, and what nodes spent their time on: parts of the status. */
export const howNodesFare = {
  bought: z
    .object({
      planId: z.string(),
      atSeconds: unixSeconds,
      sizes: z
        .array(z.string())
        .describe(
          "Why its nodes are of their size, in sentences: the price, the reason, the next best, and what kept cheaper ones out",
        ),
    })
    .nullable()
    .describe("The newest plan that bought nodes; null: none that is known"),
  spot: z
    .object({
      cores: count.describe("vCPUs of all nodes that cost money"),
      spotCores: count.describe("Of these, on spot nodes"),
      evicted: z
        .array(z.object({ nodeArray: z.string(), vmSize: z.string(), nodes: count }))
        .describe("What Azure took back within an hour"),
      backedOff: z.array(backedOff).describe("Those of `backedOff` that are of spot arrays"),
    })
    .nullable()
    .describe("Null: the cluster has no spot array"),
  utilisation: z
    .object({
      fromSeconds: unixSeconds,
      untilSeconds: unixSeconds,
      busyNodeHours: z.number().describe("Nodes with a job"),
      idleNodeHours: z.number().describe("Ready nodes without one"),
      bootNodeHours: z.number(),
      failedNodeHours: z.number(),
      otherNodeHours: z.number().describe("Drained, kept alive, or being deleted"),
    })
    .nullable()
    .describe("What nodes were in the last 24 hours, by the accounts; null: unknown"),
};
