import { z } from "zod";
import { asideKinds, costDimensions } from "../accounting/index.ts";
import { type Answer, aboutCluster, count, moment, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";

/** What costs can be told apart by. `job` stands alone, or beside user, account and queue. */
export const costDimension = z.enum([...costDimensions, "job"]);

const owner = z.string().max(256).optional();

export const costQuery = z.object({
  by: z
    .string()
    .max(200)
    .default("array")
    .transform((text) => text.split(","))
    .pipe(z.array(costDimension).min(1).max(10))
    .describe(
      `What costs are told apart by, separated by commas: ${costDimension.options.join(", ")}. \`job\` stands alone, or beside user, account and queue: whole runs that ended in the time, or run still. \`node\`, beside array, size, spot, purpose and day alone, counts whole days; of each day the 1,000 nodes are kept by name whose time without jobs cost most`,
    ),
  from: optional(
    moment,
    "Unix seconds; absent: the start of the month that `until` is in (UTC), by hour at most 7 days ago",
  ),
  until: optional(moment, "Unix seconds; absent: now"),
  user: owner.describe("What jobs of this user cost alone"),
  account: owner.describe("The same of an account"),
  queue: owner.describe("The same of a queue"),
});

const money = z.number().describe("US dollars, by list and configured prices: an estimate, not the bill");

const parts = z
  .object({
    job: money.describe("What jobs had of their nodes"),
    unused: money.describe("What jobs left of nodes that they ran on"),
    boot: money.describe("Nodes that were asked for and not ready"),
    idle: money.describe("Ready nodes without a job"),
    drained: money.describe("Nodes without a job that took none"),
    kept: money.describe("Nodes without a job that an operator kept alive"),
    failed: money.describe("Nodes that CycleCloud gave up"),
    ending: money.describe("Nodes that were being deleted"),
  })
  .describe("Add up to `usd`");

/** Costs of one group, or of all. */
const costRow = named("CostRow", {
  keys: z
    .partialRecord(costDimension, z.union([z.string(), z.boolean(), z.null()]))
    .describe(
      "By dimension; null: nobody said, or the jobs or nodes that are not kept by name. Absent: not asked for, or no job's",
    ),
  isOverhead: z.boolean().describe("True: no job's, where jobs are told apart by people"),
  usd: money,
  share: z.number().describe("Of the total, 0 to 1; of the node-hours where nothing has a price"),
  nodeHours: z.number(),
  unpricedNodeHours: z
    .number()
    .describe("Of these, on nodes whose price is not known: `usd` leaves them out"),
  coreHours: orNull(z.number(), "Null: of some size the cores are not known"),
  busyNodeHours: z
    .number()
    .describe("Of `nodeHours`, on nodes with a job: what jobs had, and what they left"),
  runs: count.describe("Runs of jobs that ended"),
  usdByPurpose: parts,
});

export const costAnswer = named("Cost", {
  ...aboutCluster,
  fromSeconds: unixSeconds.describe("Start of what is counted here"),
  untilSeconds: unixSeconds.describe("End of what is counted here: the newest snapshot, if `until` is later"),
  openedAtSeconds: orNull(unixSeconds, "The first snapshot that was counted from; null: there is none"),
  by: z.array(costDimension),
  rows: list(
    costRow,
    "The dearest first; by time, in order. By several: the groups of the first stay together",
  ),
  total: costRow,
  notInTotal: list(
    z.object({
      kind: z
        .enum(asideKinds)
        .describe(
          "deallocated: disks of deallocated nodes; reserved: what a reservation pays and nobody runs",
        ),
      name: z.string().describe("Of the node array; of the reservation"),
      keys: z
        .partialRecord(z.enum(["hour", "day"]), z.string())
        .describe("Its time, where costs are told apart by hour or day"),
      usd: money,
      nodeHours: z.number(),
      unpricedNodeHours: z.number().describe("Of these, without a known price: `usd` leaves them out"),
    }),
    "What was paid beside nodes that ran; none of one user, account or queue",
  ),
});

export const jobCostQuery = z.object({
  source: optional(
    z.string().max(50),
    "The scheduler that the job is of; absent: every source that is known now",
  ),
});

export const jobRun = z.object({
  source: z.string(),
  isRunning: z.boolean(),
  submittedSeconds: orNull(
    unixSeconds,
    "When it was submitted. Null: its scheduler does not say, or the run began before this was kept",
  ),
  fromSeconds: unixSeconds.describe("When it was seen running first"),
  untilSeconds: unixSeconds.describe("When it was seen running last"),
  array: z.string().describe("Where it ran first; empty: on hosts that are no nodes of the cluster"),
  size: z.string(),
  spot: z.boolean(),
  user: z.string().nullable(),
  account: z.string().nullable(),
  queue: z.string().nullable(),
  nodes: list(
    z.string(),
    "Names of its nodes, or their ids; at most 100. where a run that ended was last; empty: not kept",
  ),
  usd: money,
  nodeHours: z.number(),
  unpricedNodeHours: z.number(),
  coreHours: orNull(z.number(), "Null: the cores of its size are not known"),
});

export const jobCostAnswer = named("JobCost", {
  ...aboutCluster,
  job: z.string(),
  untilSeconds: orNull(unixSeconds, "The newest snapshot that was counted; null: none was"),
  runs: list(jobRun, "The newest first, at most 100; those of the last thirteen months"),
  total: jobRun
    .pick({ usd: true, nodeHours: true, unpricedNodeHours: true, coreHours: true })
    .describe("Of all these runs"),
});

export type JobCostAnswer = Answer<typeof jobCostAnswer>;
export type JobRunView = JobCostAnswer["runs"][number];
export type CostDimensionName = z.infer<typeof costDimension>;
export type CostRowView = Answer<typeof costRow>;
export type CostAnswer = Answer<typeof costAnswer>;
export type CostQuery = Answer<typeof costQuery>;
