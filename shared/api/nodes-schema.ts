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
import { list, named, optional, orNull } from "./builders.ts";
import { jobRun } from "./cost-schema.ts";
import { operationView } from "./operations-schema.ts";
import { quoted } from "./problem.ts";
import { globs, selectionQuery } from "./selection-schema.ts";
import { whereQuery } from "./where-schema.ts";

const failure = named("NodeFailure", {
  atSeconds: unixSeconds.describe("When a plan first saw it Failed"),
  message: orNull(z.string(), "What CycleCloud says of it, cut, without secrets; null: nothing"),
});

const keeper = named("Keeper", {
  kind: z
    .enum(["keep-alive", "target", "spare", "failed", "deallocated"])
    .describe(
      "keep-alive: only a person may delete it; target, spare: it counts towards a target; failed: it is kept for a look; deallocated: instead of deleted",
    ),
  by: z.string().describe("A person, CycleCloud, a schedule, a request set, spare nodes, or a setting"),
  reason: z.string(),
  sinceSeconds: orNull(unixSeconds, "Null: not known"),
  untilSeconds: orNull(
    unixSeconds,
    "When it ends by itself, unless somebody asks again; of a deallocated node: when it is too old. Null: when somebody ends it",
  ),
});

/** A node as the cluster has it, and as a plan made now would use it. */
export const nodeView = named("Node", {
  name: z.string(),
  nodeId: orNull(z.string(), "Null: CycleCloud does not know it (yet)"),
  hostname: z.string().nullable(),
  fqdn: orNull(z.string(), "Its host name with the domain"),
  privateIp: z.string().nullable(),
  instanceId: z.string().nullable(),
  nodeArray: z.string(),
  dynamicArray: orNull(
    z.string(),
    "The dynamic array that it is accounted to, such as execute:64; null: none",
  ),
  vmSize: z.string(),
  vmFamily: orNull(z.string(), "Whose quota it counts against"),
  placementGroup: z.string().nullable(),
  bucketId: orNull(z.string(), "CycleCloud's id of its VM size in its array"),
  location: z.string().nullable(),
  spot: z.boolean(),
  origin: z
    .enum(["existing", "starting", "pending", "new", "on-premise"])
    .describe(
      "existing: CycleCloud reports it; pending: asked for, not reported yet; on-premise: only its scheduler knows it; new, starting: a plan would create or start it",
    ),
  state: orNull(z.string(), "CycleCloud's status: Ready, Preparing, Acquiring, Failed, Off, ..."),
  failure: orNull(failure, "Set: it has failed, or failed before it was retried"),
  targetState: orNull(z.string(), "Started, Terminated, Deallocated, ..."),
  vcpuCount: count.nullable(),
  pcpuCount: count.nullable(),
  gpuCount: count.nullable(),
  coresPerSocket: count.nullable(),
  memoryBytes: z.number().nullable(),
  infiniband: orNull(z.boolean(), "Null: its VM size is not known"),
  usdPerHour: orNull(z.number(), "What it costs; null: not known, or not a node of an array"),
  jobs: list(z.object({ job: z.string(), slots: count }), "Jobs that run there or are planned there"),
  plannedJobs: list(
    z.string(),
    "Those of `jobs` that do not run there: the plan means them to, and their scheduler has not started them",
  ),
  users: optional(
    z.array(z.string().nullable()),
    "Whose jobs these are, each once; null: of some that is not known. Absent unless `fields` names it",
  ),
  accounts: optional(z.array(z.string().nullable()), "Which accounts pay for these jobs, in the same way"),
  resources: resources.describe("What the node has; empty for a node that takes no jobs"),
  available: resources.describe("What its jobs leave of that"),
  keepAlive: z.boolean().describe("Only an operator may delete it"),
  kept: list(keeper, "Who keeps it although no job needs it, first who keeps it longest; empty: nobody"),
  ignored: z.boolean().describe("The autoscaler leaves it alone: no jobs, no deletion, no retry"),
  draining: orNull(
    z.object({
      phase: z
        .enum(["draining", "undraining"])
        .describe("undraining: wanted again, and not known to be up with its schedulers"),
      sinceSeconds: unixSeconds.nullable(),
      reason: z.string().nullable(),
    }),
    "Set: it gets no more jobs, or is being taken back; `reason` says by whose wish and why",
  ),
  slowBoot: orNull(
    z.object({
      forSeconds: z.number().describe("For how long it boots until now"),
      p95Seconds: z.number().describe("So long 95 of 100 boots of its array and size took at most"),
    }),
    "Set: it boots for longer than 95 of 100 of its array and size did within the last 7 days",
  ),
  firstSeenSeconds: orNull(unixSeconds, "When a plan first saw this life of the node"),
  readySeconds: orNull(unixSeconds, "When a plan first saw it Ready"),
  idleSinceSeconds: orNull(
    unixSeconds,
    "Since when nothing needs it, Ready or still booting; null: it is in use, or awaited",
  ),
  lastMatchSeconds: orNull(
    unixSeconds,
    "When a plan last matched it, Ready or not; null: it is matched now, or never was",
  ),
  deletedSeconds: orNull(
    unixSeconds,
    "Of a node that is deallocated or going: when it was first seen to be; null: it is up",
  ),
  deleteAtSeconds: orNull(
    unixSeconds,
    "When its idle or boot time-out is over, if nothing changes, and no scheduler is waited for to drain it or take it back; one that reports it drained lets it go earlier. Null: no time-out runs",
  ),
  expectedReadySeconds: orNull(
    unixSeconds,
    "Of a booting node: when it should be Ready, from what earlier boots took; null: unknown or not booting",
  ),
  operation: orNull(
    z.object({ actionId: z.string(), kind: z.string(), state: z.string() }),
    "The open operation that the node is part of",
  ),
});

/** `GET /api/clusters/{cluster}/nodes`, by name */
export const nodesAnswer = named("Nodes", {
  ...aboutCluster,
  snapshotTakenAtSeconds: unixSeconds.describe("When CycleCloud was asked; nodes are as of then"),
  held: optional(
    z.string().nullable(),
    "Why nothing is sent now, so that no node goes when its time-out is over; null: plans are sent",
  ),
  idleHeld: optional(
    z.string().nullable(),
    "Why no idle node goes now although plans are sent: one may run a job; null: they go",
  ),
  nodes: z.array(nodeView),
  ...paged,
});

const nodeFields: ReadonlySet<string> = new Set(Object.keys(nodeView.shape));

export const nodesQuery = z.object({
  ...wholeListQuery,
  ...selectionQuery,
  where: whereQuery(nodeWhereKeys),
  state: globs.describe(
    "CycleCloud's states in upper or lower case, comma-separated; shell wildcards allowed",
  ),
  resources: optional(
    z
      .string()
      .max(10_000)
      .transform((text) => text.split(",").map((each) => each.trim())),
    "Names, comma-separated: `resources` and `available` tell these alone, which makes long lists shorter; case, `-` and `_` do not count. Absent: all",
  ),
  fields: optional(
    z
      .string()
      .max(10_000)
      .transform((text, context) => {
        const names = text.split(",").map((each) => each.trim());
        for (const name of names)
          if (!nodeFields.has(name))
            context.addIssue({
              code: "custom",
              message: `expected fields of a node: ${quoted(name)} is none`,
            });
        return names as readonly (keyof z.output<typeof nodeView>)[];
      }),
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
const nodeLife = named("NodeLife", {
  nodeId: z.string(),
  name: z.string(),
  nodeArray: z.string(),
  vmSize: z.string(),
  hostname: z.string().nullable(),
  instanceId: z.string().nullable(),
  firstSeenSeconds: unixSeconds,
  readySeconds: orNull(unixSeconds, "First seen Ready; null: never"),
  idleSinceSeconds: orNull(
    unixSeconds,
    "Since when nothing needed it, Ready or still booting; null: something did",
  ),
  deletedSeconds: orNull(unixSeconds, "No longer seen; null: it exists"),
  failure: orNull(failure, "The last time that it failed; null: never"),
  spans: list(lifeSpan, "What it did from when it was first seen until now, or until it was gone, in order"),
});

/** `GET /api/clusters/{cluster}/nodes/{node}/history`: all that is remembered (7 days) of a node's name, id or host name. */
export const historyAnswer = named("NodeHistory", {
  ...aboutCluster,
  node: z.string(),
  lives: list(nodeLife, "Newest first"),
  runs: list(
    jobRun
      .pick({ source: true, isRunning: true, fromSeconds: true, untilSeconds: true })
      .extend({ job: z.string() }),
    "Jobs there, the newest first, at most 100: all that run, and of each day the dearest that ended, whose first 100 nodes are kept",
  ),
  operations: list(operationView, "Those that were about it, newest first"),
  ...paged,
});

export const historyQuery = z.object(pageQuery);

/** `GET /api/clusters/{cluster}/lives`: what nodes did, those that are gone too. */
export const livesAnswer = named("Lives", {
  ...aboutCluster,
  fromSeconds: unixSeconds,
  untilSeconds: unixSeconds,
  lives: list(
    nodeLife.extend({
      usdPerHour: orNull(z.number(), "What such a node costs now; null: not known"),
    }),
    "Those that were there at some time between the two, by node array, the oldest first",
  ),
  ...paged,
});

export const livesQuery = z.object({
  ...wholeListQuery,
  nodeArray: optional(z.string().max(256), "Nodes of this array alone"),
  ...periodQuery,
});

export type NodeLife = Answer<typeof nodeLife>;
export type HistoryAnswer = Answer<typeof historyAnswer>;
export type LivesAnswer = Answer<typeof livesAnswer>;
export type LivesQuery = Answer<typeof livesQuery>;
