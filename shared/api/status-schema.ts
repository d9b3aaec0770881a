import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { operationState, requestedBy } from "./operations-schema.ts";
import { planRecord, waitingJob } from "./plan-summary.ts";
import { rejectionView } from "./rejections-schema.ts";
import { spendingStatus } from "./spending-schema.ts";
import { backedOff, howNodesFare, nodeDecision } from "./status-nodes.ts";

export const clustersAnswer = named("Clusters", {
  atSeconds: unixSeconds,
  release: z.string().describe("Of the service, such as 0.1.0"),
  clusters: z.array(
    z.object({
      cluster: z.string(),
      paused: z.boolean().describe("An operator paused it: plans are made, and nothing is sent"),
      snapshotTakenAtSeconds: orNull(unixSeconds, "Null: no snapshot was taken yet"),
      planAtSeconds: orNull(unixSeconds, "When its newest plan was made; null: never"),
    }),
  ),
});

export type ClustersAnswer = Answer<typeof clustersAnswer>;

/** Kinds of problems. They are stable, and others may come: callers pass over those that they do not know. */
export const statusProblemKinds = [
  "accounts-unreadable",
  "boots-failing",
  "budget-near",
  "budget-reached",
  "capacity-back-off",
  "certificates-not-verified",
  "clipped",
  "configuration",
  "default-resources-unset",
  "never-deallocated",
  "demand-held-back",
  "demand-stuck",
  "demand-unknown",
  "demand-unread",
  "jobs-not-started",
  "jobs-waiting",
  "late-snapshot",
  "login-refused",
  "no-snapshot",
  "nodes-failed",
  "nodes-unhealthy",
  "notifications-failing",
  "operation-failed",
  "operation-lost",
  "paused",
  "plans-not-archived",
  "quota-refused",
  "read-only",
  "record-set-aside",
  "rejections",
  "set-aside",
  "several-senders",
  "source-expired",
  "source-notice",
  "sources-full",
  "stale-snapshot",
  "target-unmet",
  "unknown-keys",
  "unknown-node-arrays",
  "unknown-prices",
] as const;

export type StatusProblemKind = (typeof statusProblemKinds)[number];

const statusProblem = named("StatusProblem", {
  gravity: z
    .enum(["stopped", "degraded", "notice"])
    .describe("stopped: the cluster does not scale; degraded: some of it does not; notice: have a look"),
  kind: z.string().describe(`Stable: ${statusProblemKinds.join(", ")}`),
  text: z.string().describe("What is wrong, with numbers"),
  next: z.string().describe("What to do"),
});

const sourceStatus = named("SourceStatus", {
  source: z.string(),
  sequence: count,
  receivedAtSeconds: unixSeconds,
  expiresAtSeconds: unixSeconds.describe("From then on it counts as silent, and its jobs do not count"),
  ignoredMessages: count.describe("Left out, because a newer or the same one had come before"),
  jobs: count,
  nodes: count,
  nodeShapes: count.describe(
    "Kinds of new nodes (an array, or a size of it) of which it says what it counts there: `buckets` shows it",
  ),
  capabilities: list(z.string(), "What it can do for the cycle, such as drain"),
  notices: list(
    z.string(),
    "What its agent did with the scheduler, or cannot do, a sentence each; `problems` has them too",
  ),
  expired: z.boolean().describe("Silent past its time to live: its jobs do not count"),
  setAside: z
    .object({ count, first: list(z.string(), "The first few, in words") })
    .describe("Jobs, nodes and removals of its messages that do not check out; the rest counts"),
  warned: orNull(
    z.object({ jobs: count, first: z.string().describe("Of the first of them, in words") }),
    "Jobs with keys that are not understood, which have no effect; null: none",
  ),
  senders: orNull(
    z.object({
      names: list(z.string(), "The last two, the newest first"),
      turns: count.describe("How often one came back after another"),
      sinceSeconds: unixSeconds,
    }),
    "Programs that speak for it in turns; null: one does, or they do not say who they are",
  ),
});

const doubt = named("Doubt", {
  source: orNull(z.string(), "Null: of messages that name no known source"),
  why: z.string(),
  sinceSeconds: unixSeconds,
  untilSeconds: unixSeconds.describe("When it ends without another message"),
});

const operationStatus = named("OperationStatus", {
  actionId: z.string(),
  kind: z.string(),
  state: operationState,
  reason: z.string(),
  nodes: count.describe("How many nodes it is about"),
  requestedBy,
  messages: z.array(z.string()),
  attempts: count.describe("Tries that CycleCloud could not answer"),
  updatedAtSeconds: unixSeconds,
  overtaken: z
    .boolean()
    .describe(
      "It failed, and that is no problem any more: something newer asked for the same, or nothing needs it",
    ),
});

const requestSetStatus = named("RequestSetStatus", {
  requestSet: z.string(),
  source: z.string().describe("Who asked last"),
  receivedAtSeconds: unixSeconds.describe("Of a schedule: when its window begins, which may be to come"),
  expiresAtSeconds: unixSeconds.describe("From then on it wants nothing"),
  lasting: z.boolean().describe("The same follows then: a schedule without a start"),
  expired: z.boolean(),
  planned: z
    .boolean()
    .describe("Whether the newest plan knew of this request; `targets` is what it made of those"),
  ignoredMessages: count.describe("Left out, because a newer or the same one had come before"),
  arrays: count.describe("Node arrays that it names"),
});

export const metTarget = named("MetTarget", {
  name: z.string().describe("A node array, a dynamic one, or groups of one, such as execute:64"),
  nodeArray: z.string().describe("CycleCloud's node array, which its nodes are made from"),
  dynamicArray: orNull(z.string(), "Null: its nodes are plain nodes of the array"),
  requestSet: z.string(),
  unit: z.enum(["nodes", "cores", "gpus", "groups", "spares", "slots"]).describe("What is asked for"),
  asked: count,
  granted: count,
  nodes: count.describe("Nodes that count towards it, those that are on order included"),
  groups: z.array(
    z.object({
      id: z.string().describe("Also its placement group, and cyclecloud.node.group_id of its nodes"),
      vmSize: z.string(),
      nodes: count,
    }),
  ),
  spare: orNull(
    z.object({
      auto: z.boolean().describe("Whether the service chose how much is asked for"),
      keptNodes: count.describe("Nodes that nothing else needs"),
      usdPerHour: orNull(z.number(), "What they cost an hour; null: a price is not known"),
      waitSeconds: orNull(
        z.number(),
        "How long jobs that need more wait on average for a boot; null: not known, or none did",
      ),
      text: z.string().describe("Why it is so much, what it costs and what it buys, in sentences"),
    }),
    "Null: it asks for no spare room",
  ),
  why: list(z.string(), "Why it is not met; empty when it is"),
});

export const lostNode = named("LostNode", {
  reason: z
    .enum(["SpotEvicted", "AllocationFailed", "VMDisappeared", "SpotGone"])
    .describe(
      "SpotEvicted: Azure took a spot VM back; AllocationFailed: it had none to give; SpotGone: a spot node went without an event, and nobody here had asked for that",
    ),
  nodeName: z.string().nullable(),
  nodeArray: z.string(),
  vmSize: z.string(),
  atSeconds: unixSeconds,
});

export const statusAnswer = named("Status", {
  ...aboutCluster,
  problems: list(statusProblem, "What is wrong, the gravest first"),
  paused: orNull(
    z.object({
      by: z.string(),
      reason: z.string(),
      atSeconds: unixSeconds,
      untilSeconds: optional(unixSeconds, "When it ends by itself; absent: when somebody ends it"),
    }),
    "Set: an operator paused the cluster; plans are made, and nothing is sent",
  ),
  loginStopped: orNull(
    z.object({
      atSeconds: unixSeconds,
      message: z.string(),
      resumedAtSeconds: orNull(
        unixSeconds,
        "Set: an operator resumed it, and the next snapshot tries it once more",
      ),
    }),
    "Set: CycleCloud refused the login, and is not called until it changes or an operator resumes",
  ),
  snapshot: z
    .object({
      takenAtSeconds: unixSeconds,
      setAside: list(z.string(), "Records that could not be understood, one sentence each"),
    })
    .nullable(),
  nodes: z
    .record(z.string(), count)
    .describe("Nodes in each of CycleCloud's states; those outside every node array are not counted"),
  failedNodes: list(
    z.object({
      nodeArray: z.string(),
      message: orNull(z.string(), "What CycleCloud says of them; null: nothing"),
      count,
      first: list(z.string(), "Names of the first few"),
    }),
    "Nodes that failed, those that failed alike together, the largest groups first; at most 5",
  ),
  spending: orNull(spendingStatus, "Null: not counted yet"),
  demand: z.array(sourceStatus),
  doubts: list(
    doubt,
    "Sources of which nobody can tell what runs where. While there is one, no node goes for being idle",
  ),
  unread: orNull(
    z.object({
      messages: orNull(
        count,
        "On the demand queue and its poison queue, of all clusters; null: the queue did not answer",
      ),
      sinceSeconds: unixSeconds.describe("Since when plans have met unread messages without a break"),
      nodes: count.describe(
        "Idle nodes that stay until the messages were read; 0: the wait was long enough, and they go",
      ),
    }),
    "What the newest plan met on the demand queue when it was about to delete idle nodes",
  ),
  requestSets: list(
    requestSetStatus,
    "Whoever asks for targets of node arrays, and the window of each schedule that is open or comes next",
  ),
  targets: list(metTarget, "What the newest plan made of them, those not met first"),
  openOperations: count,
  operations: list(operationStatus, "The newest"),
  plans: list(planRecord, "The newest"),
  nextDeadlineSeconds: orNull(
    unixSeconds,
    "When time alone makes another plan due; null: nothing waits for the clock",
  ),
  backedOff: list(
    backedOff,
    "Buckets that the newest plan asked for no new nodes, because they gave less than asked before",
  ),
  refusedQuotas: list(
    z.object({
      limit: z.enum(["family", "region"]),
      scope: z.string(),
      coresLeft: z.number(),
      atSeconds: unixSeconds,
      untilSeconds: unixSeconds,
      why: z.string(),
    }),
    "Quotas that refused nodes although CycleCloud's figures left room: no more cores are asked of them than they had then",
  ),
  bootsFailing: list(
    z.object({
      nodeArray: z.string(),
      vmSize: z.string(),
      failures: count,
      boots: count.describe("Boots that ended within the hour, those that failed included"),
      untilSeconds: unixSeconds,
    }),
    "VM sizes of node arrays that get no new nodes, because too many of their boots failed",
  ),
  idleTimeouts: list(
    z.object({
      nodeArray: z.string(),
      seconds: z.number().describe("For which the newest plan kept idle nodes"),
      why: z.string(),
    }),
    'Of node arrays whose `idle_timeout` is "auto"',
  ),
  draining: list(
    z.object({
      nodeId: z.string(),
      name: z.string(),
      hostname: z.string().nullable(),
      phase: z
        .enum(["draining", "undraining"])
        .describe("undraining: wanted again, and not known to be up with its schedulers"),
      sinceSeconds: orNull(unixSeconds, "When that was decided; null: its scheduler does not say"),
      toldSeconds: orNull(
        unixSeconds,
        "When its schedulers were told, last; null: they were not, or need not be",
      ),
      untilSeconds: optional(unixSeconds, "When it ends by itself; absent: when somebody ends it"),
      by: z.string().describe("Who wants it so: a person, or the autoscaler"),
      why: z.string(),
      source: orNull(
        z.string(),
        "The scheduler that has it out by its own making; null: it was asked for here",
      ),
    }),
    "Nodes that take no new jobs: idle ones that are about to go, those that an operator drained, those that somebody drained in a scheduler; and nodes that are being taken back",
  ),
  keptNodes: list(
    nodeDecision,
    "Nodes that are kept alive by an operator's request here; those that CycleCloud's own record keeps alive are not listed",
  ),
  ignoredNodes: list(
    nodeDecision,
    "Nodes that the autoscaler leaves alone by an operator's request here; those of `ignored_nodes` of the configuration are not listed",
  ),
  rolling: orNull(
    z.object({
      by: z.string(),
      reason: z.string(),
      atSeconds: unixSeconds,
      atOnce: count,
      replace: z.boolean().describe("Nodes are deleted once no job runs there; else they stay drained"),
      total: count,
      leftCount: count.describe("Nodes whose turn has not come"),
      inTurn: list(z.string(), "Names of those that are drained and not done, at most 100"),
    }),
    "A drain of many nodes, so many at a time, that goes on by itself; null: there is none",
  ),
  lostNodes: list(
    lostNode,
    "The newest nodes that CycleCloud said it lost, or could not get, without being asked",
  ),
  ...howNodesFare,
  waiting: list(waitingJob, "The first jobs of the newest plan that did not get all they asked for"),
  rejections: list(rejectionView, "Of this cluster, and those that name no known cluster"),
});

export type ClusterStatus = Answer<typeof statusAnswer>;
/** One that this release makes. */
export type KnownProblem = StatusProblem & { readonly kind: StatusProblemKind };
export type StatusProblem = Answer<typeof statusProblem>;
export type SourceStatus = ClusterStatus["demand"][number];
export type OperationStatus = ClusterStatus["operations"][number];
