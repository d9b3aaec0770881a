import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { nodeView } from "./nodes-schema.ts";
import { waitingJob } from "./plan-summary.ts";
import { selectionQuery } from "./selection-schema.ts";

export const plannedCreate = named("PlannedCreate", {
  nodeArray: z.string(),
  vmSize: z.string(),
  placementGroup: z.string().nullable(),
  count,
  names: z.array(z.string()),
  keepAlive: z.boolean(),
});

/** Nodes of one array and size that a plan creates or starts. */
export const plannedAddition = named("PlannedAddition", {
  nodeArray: z.string(),
  vmSize: z.string(),
  count,
  usdPerHour: orNull(z.number(), "List price of one of them; null: not known"),
  readyInSeconds: orNull(
    z.number(),
    "How long a boot of the array takes, by the median of those remembered; null: too few",
  ),
});

export type PlannedAddition = Answer<typeof plannedAddition>;

export const plannedNode = named("PlannedNode", { nodeId: z.string(), name: z.string() });

export const plannedRetire = plannedNode
  .extend({
    cause: z
      .string()
      .describe(
        "idle-timeout, unwanted (no job needs it while it boots), boot-timeout, failed, spot-released, unhealthy, deallocated (for too long, or too many)",
      ),
    sinceSeconds: unixSeconds,
    verb: optional(z.enum(["deallocate", "terminate"]), "How it goes; absent: as its shutdown policy says"),
  })
  .meta({ id: "PlannedRetire" });

const waitingFor = named("WaitingFor", {
  reason: z.string().describe("The nearest limit or code that refused"),
  jobs: count,
  first: waitingJob,
});

const planWarning = named("PlanWarning", { code: z.string(), subject: z.string(), message: z.string() });

/** What a plan decided: of one that was made, or of one that would be made now. */
export const demandParts = {
  create: z.array(plannedCreate),
  sizes: list(
    z.string(),
    "Why new nodes are of their size, in sentences: the price, the reason, the next best, and what kept cheaper ones out",
  ),
  start: z.array(plannedNode),
  retire: z.array(plannedRetire),
  retry: z.array(plannedNode),
  waiting: list(waitingJob, "The first 100 jobs that did not get all they asked for, and why"),
  waitingCount: count.describe("How many of them there are, selected or not"),
  waitingFor: list(waitingFor, "All by reason, the most jobs first; of a cut plan, those kept"),
  warnings: z.array(planWarning),
};

/** With a selection: the selected nodes, what is done with them, and jobs that lack places there. Counts stay those of the plan. */
export const demandQuery = z.object(selectionQuery);

/** `GET /api/clusters/{cluster}/demand`: what would be done now. Nothing is sent. */
export const demandAnswer = named("Demand", {
  ...aboutCluster,
  snapshotTakenAtSeconds: unixSeconds,
  held: orNull(z.string(), "Why a real plan would not be sent now; null: it would"),
  jobs: count,
  placedJobs: count,
  ...demandParts,
  additions: list(plannedAddition, "What is created and started, by node array and size"),
  nodes: list(
    nodeView,
    "Every node that the plan counts with, new ones included, in the order of the plan; at most 10,000",
  ),
  nodeCount: count.describe("How many of them there are, selected or not"),
  selected: orNull(
    z.object({ nodeCount: count, waitingCount: count }),
    "How many of the nodes, and of the jobs that wait, were selected; null: nothing was left out",
  ),
});

export type DemandAnswer = Answer<typeof demandAnswer>;
