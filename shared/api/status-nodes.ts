import { z } from "zod";
import { count, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";

/** What an operator decided about a node, and why. */
export const nodeDecision = named("NodeDecision", {
  nodeId: z.string(),
  name: z.string(),
  by: z.string(),
  reason: z.string(),
  atSeconds: unixSeconds,
  untilSeconds: optional(unixSeconds, "When it ends by itself; absent: when somebody ends it"),
});

/** A bucket that is asked for no new nodes. */
export const backedOff = named("BackedOffBucket", {
  nodeArray: z.string(),
  vmSize: z.string(),
  untilSeconds: unixSeconds,
  why: z.string(),
  budget: optional(z.string(), "Name of the budget that allows none; absent: no budget is why"),
  isUnpriced: optional(z.boolean(), "True: the budget is not spent, but could not count such nodes"),
});

/** What was bought and why, how spot nodes do, and what nodes spent their time on: parts of the status. */
export const howNodesFare = {
  bought: orNull(
    z.object({
      planId: z.string(),
      atSeconds: unixSeconds,
      sizes: list(
        z.string(),
        "Why its nodes are of their size, in sentences: the price, the reason, the next best, and what kept cheaper ones out",
      ),
    }),
    "The newest plan that bought nodes; null: none that is known",
  ),
  spot: orNull(
    z.object({
      cores: count.describe("vCPUs of all nodes that cost money"),
      spotCores: count.describe("Of these, on spot nodes"),
      evicted: list(
        z.object({ nodeArray: z.string(), vmSize: z.string(), nodes: count }),
        "What Azure took back within an hour",
      ),
      backedOff: list(backedOff, "Those of `backedOff` that are of spot arrays"),
    }),
    "Null: the cluster has no spot array",
  ),
  utilisation: orNull(
    z.object({
      fromSeconds: unixSeconds,
      untilSeconds: unixSeconds,
      busyNodeHours: z.number().describe("Nodes with a job"),
      idleNodeHours: z.number().describe("Ready nodes without one"),
      bootNodeHours: z.number(),
      failedNodeHours: z.number(),
      otherNodeHours: z.number().describe("Drained, kept alive, or being deleted"),
    }),
    "What nodes were in the last 24 hours, by the accounts; null: unknown",
  ),
};
