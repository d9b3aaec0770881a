import { z } from "zod";
import { nodeWhereKeys } from "../names/where-keys.ts";
import {
  type Answer,
  aboutCluster,
  count,
  paged,
  pageQuery,
  periodQuery,
  resources,
  unixSeconds,
  wholeListQuery,
} from "./answer.ts";
import { jobRun } from "./cost-schema.ts";
import { operationView } from "./operations-schema.ts";
import { quoted } from "./problem.ts";
import { globs, selectionQuery } from "./selection-schema.ts";
import { whereQuery } from "./where-schema.ts";

const failure = z
  .object({
    atSeconds: unixSeconds.describe("When a plan first saw it Failed"),
    message: z
      .string()
      .nullable()
      .describe("What CycleCloud says of it, cut, without secrets; null: nothing"),
  })
  .meta({ id: "NodeFailure" });

const keeper = z
  .object({
    kind: z
      .enum(["keep-alive", "target", "spare", "failed", "deallocated"])
      .describe(
        "keep-alive: only a person may delete it; target, spare: it counts towards a target; failed: it is kept for a look; deallocated: instead of deleted",
      ),
    by: z.string().describe("A person, CycleCloud, a schedule, a request set, spare nodes, or a setting"),
    reason: z.string(),
    sinceSeconds: unixSeconds.nullable().describe("Null: not known"),
    untilSeconds: unixSeconds
      .nullable()
      .describe(
        "When it ends by itself, unless somebody asks again; of a deallocated node: when it is too old. Null: when somebody ends it",
      ),
  })
  .meta({ id: "Keeper" });

/** A node as the cluster has it, and as a plan made now would use it. */
export const nodeView = z
  .object({
    name: z.string(),
    nodeId: z.string().nullable().describe("Null: CycleCloud does not know it (yet)"),
    hostname: z.string().nullable(),
    fqdn: z.string().nullable().describe("Its host name with the domain"),
    privateIp: z.string().nullable(),
    instanceId: z.string().nullable(),
    nodeArray: z.string(),
    dynamicArray: z
      .string()
      .nullable()
      .describe("The dynamic array that it is accounted to, such as execute:64; null: none"),
    vmSize: z.string(),
    vmFamily: z.string().nullable().describe("Whose quota it counts against"),
    placementGroup: z.string().nullable(),
    bucketId: z.string().nullable().describe("CycleCloud's id of its VM size in its array"),
    location: z.string().nullable(),
    spot: z.boolean(),
    origin: z
      .enum(["existing", "starting", "pending", "new", "on-premise"])
      .describe(
        "existing: CycleCloud reports it; pending: asked for, not reported yet; on-premise: only its scheduler knows it; new, starting: a plan would create or start it",
      ),
    state: z
      .string()
      .nullable()
      .describe("CycleCloud's status: Ready, Preparing, Acquiring, Failed, Off, ..."),
    failure: failure.nullable().describe("Set: it has failed, or failed before it was retried"),
    targetState: z.string().nullable().describe("Started, Terminated, Deallocated, ..."),
    vcpuCount: count.nullable(),
    pcpuCount: count.nullable(),
    gpuCount: count.nullable(),
    coresPerSocket: count.nullable(),
    memoryBytes: z.number().nullable(),
    infiniband: z.boolean().nullable().describe("Null: its VM size is not known"),
    usdPerHour: z.number().nullable().describe("What it costs; null: not known, or not a node of an array"),
    jobs: z
      .array(z.object({ job: z.string(), slots: count }))
      .describe("Jobs that run there or are planned there"),
    plannedJobs: z
      .array(z.string())
      .describe(
        "Those of `jobs` that do not run there: the plan means them to, and their scheduler has not started them",
      ),
    users: z
      .array(z.string().nullable())
      .optional()
      .describe(
        "Whose jobs these are, each once; null: of some that is not known. Absent unless `fields` names it",
      ),
    accounts: z
      .array(z.string().nullable())
      .optional()
      .describe("Which accounts pay for these jobs, in the same way"),
    resources: resources.describe("What the node has; empty for a node that takes no jobs"),
    available: resources.describe("What its jobs leave of that"),
    keepAlive: z.boolean().describe("Only an operator may delete it"),
    kept: z
      .array(keeper)
      .describe("Who keeps it although no job needs it, first who keeps it longest; empty: nobody"),
    ignored: z.boolean().describe("The autoscaler leaves it alone: no jobs, no deletion, no retry"),
    draining: z
      .object({
        phase: z
          .enum(["draining", "undraining"])
          .describe("undraining: wanted again, and not known to be up with its schedulers"),
        sinceSeconds: unixSeconds.nullable(),
        reason: z.string().nullable(),
      })
      .nullable()
      .describe("Set: it gets no more jobs, or is being taken back; `reason` says by whose wish and why"),
    slowBoot: z
      .object({
        forSeconds: z.number().describe("For how long it boots until now"),
        p95Seconds: z.number().describe("So long 95 of 100 boots of its array and size took at most"),
      })
      .nullable()
      .describe("Set: it boots for longer than 95 of 100 of its array and size did within the last 7 days"),
    firstSeenSeconds: unixSeconds.nullable().describe("When a plan first saw this life of the node"),
    readySeconds: unixSeconds.nullable().describe("When a plan first saw it Ready"),
    idleSinceSeconds: unixSeconds
      .nullable()
      .describe("Since when nothing needs it, Ready or still booting; null: it is in use, or awaited"),
    lastMatchSeconds: unixSeconds
      .nullable()
      .describe("When a plan last matched it, Ready or not; null: it is matched now, or never was"),
    deletedSeconds: unixSeconds
      .nullable()
      .describe("Of a node that is deallocated or going: when it was first seen to be; null: it is up"),
    deleteAtSeconds: unixSeconds
      .nullable()
      .describe(
        "When its idle or boot time-out is over, if nothing changes, and no scheduler is waited for to drain it or take it back; one that reports it drained lets it go earlier. Null: no time-out runs",
      ),
    expectedReadySeconds: unixSeconds
      .nullable()
      .describe(
        "Of a booting node: when it should be Ready, from what earlier boots took; null: unknown or not booting",
      ),
    operation: z
      .object({ actionId: z.string(), kind: z.string(), state: z.string() })
      .nullable()
      .describe("The open operation that the node is part of"),
  })
  .meta({ id: "Node" });

/** `GET /api/clusters/{cluster}/nodes`, by name */
export const nodesAnswer = z
  .object({
    ...aboutCluster,
    snapshotTakenAtSeconds: unixSeconds.describe("When CycleCloud was asked; nodes are as of then"),
    held: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Why nothing is sent now, so that no node goes when its time-out is over; null: plans are sent",
      ),
    idleHeld: z
      .string()
      .nullable()
      .optional()
      .describe("Why no idle node goes now although plans are sent: one may run a job; null: they go"),
    nodes: z.array(nodeView),
    ...paged,
  })
  .meta({ id: "Nodes" });

const nodeFields: ReadonlySet<string> = new Set(Object.keys(nodeView.shape));

export const nodesQuery = z.object({
  ...wholeListQuery,
  ...selectionQuery,
  where: whereQuery(nodeWhereKeys),
  state: globs.describe(
    "CycleCloud's states in upper or lower case, comma-separated; shell wildcards allowed",
  ),
  resources: z
    .string()
    .max(10_000)
    .transform((text) => text.split(",").map((each) => each.trim()))
    .optional()
    .describe(
      "Names, comma-separated: `resources` and `available` tell these alone, which makes long lists shorter; case, `-` and `_` do not count. Absent: all",
    ),
  fields: z
    .string()
    .max(10_000)
    .transform((text, context) => {
      const names = text.split(",").map((each) => each.trim());
      for (const name of names)
        if (!nodeFields.has(name))
          context.addIssue({ code: "custom", message: `expected fields of a node: ${quoted(name)} is none` });
      return names as readonly (keyof z.output<typeof nodeView>)[];
    })
    .optional()
    .describe(
      "Fields of a node, comma-separated, such as `name,state`: each node of the answer has these alone, required or not. Absent: all",
    ),
});

export type NodeView = Answer<typeof nodeView>;
export type NodesAnswer = Answer<typeof nodesAnswer>;
export type NodesQuery = Answer<typeof nodesQuery>;

const lifeSpan = z.object({
  use: z
    .enum(["boot", "used", "idle", "unknown"])
    .describe(
      "boot: not Ready yet; used: jobs or targets needed it; idle: nothing did, for a minute at least; unknown: before the 32 idle times that are remembered",
    ),
  fromSeconds: unixSeconds,
  untilSeconds: unixSeconds.describe("Of the last one of a node that exists: now"),
});

/** One life of a node: from when a plan first saw it until it was gone. */
const nodeLife = z
  .object({
    nodeId: z.string(),
    name: z.string(),
    nodeArray: z.string(),
    vmSize: z.string(),
    hostname: z.string().nullable(),
    instanceId: z.string().nullable(),
    firstSeenSeconds: unixSeconds,
    readySeconds: unixSeconds.nullable().describe("First seen Ready; null: never"),
    idleSinceSeconds: unixSeconds
      .nullable()
      .describe("Since when nothing needed it, Ready or still booting; null: something did"),
    deletedSeconds: unixSeconds.nullable().describe("No longer seen; null: it exists"),
    failure: failure.nullable().describe("The last time that it failed; null: never"),
    spans: z
      .array(lifeSpan)
      .describe("What it did from when it was first seen until now, or until it was gone, in order"),
  })
  .meta({ id: "NodeLife" });

/** `GET /api/clusters/{cluster}/nodes/{node}/history`: all that is remembered (7 days) of a node's name, id or host name. */
export const historyAnswer = z
  .object({
    ...aboutCluster,
    node: z.string(),
    lives: z.array(nodeLife).describe("Newest first"),
    runs: z
      .array(
        jobRun
          .pick({ source: true, isRunning: true, fromSeconds: true, untilSeconds: true })
          .extend({ job: z.string() }),
      )
      .describe(
        "Jobs there, the newest first, at most 100: all that run, and of each day the dearest that ended, whose first 100 nodes are kept",
      ),
    operations: z.array(operationView).describe("Those that were about it, newest first"),
    ...paged,
  })
  .meta({ id: "NodeHistory" });

export const historyQuery = z.object(pageQuery);

/** `GET /api/clusters/{cluster}/lives`: what nodes did, those that are gone too. */
export const livesAnswer = z
  .object({
    ...aboutCluster,
    fromSeconds: unixSeconds,
    untilSeconds: unixSeconds,
    lives: z
      .array(
        nodeLife.extend({
          usdPerHour: z.number().nullable().describe("What such a node costs now; null: not known"),
        }),
      )
      .describe("Those that were there at some time between the two, by node array, the oldest first"),
    ...paged,
  })
  .meta({ id: "Lives" });

export const livesQuery = z.object({
  ...wholeListQuery,
  nodeArray: z.string().max(256).optional().describe("Nodes of this array alone"),
  ...periodQuery,
});

export type NodeLife = Answer<typeof nodeLife>;
export type HistoryAnswer = Answer<typeof historyAnswer>;
export type LivesAnswer = Answer<typeof livesAnswer>;
export type LivesQuery = Answer<typeof livesQuery>;
