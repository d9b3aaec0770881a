import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { operationState, requestedBy } from "./operations.ts";
import { planSummary, waitingJob } from "./plan-summary.ts";
import { rejectionView } from "./rejections.ts";

/** Something that is wrong, and what to do about it. */
export const statusProblem = z
  .object({
    gravity: z
      .enum(["stopped", "degraded", "notice"])
      .describe("stopped: the cluster does not scale; degraded: some of it does not; notice: have a look"),
    kind: z
      .string()
      .describe(
        "Stable: login-refused, configuration, no-snapshot, stale-snapshot, paused, boots-failing, ...",
      ),
    text: z.string().describe("What is wrong, with numbers"),
    next: z.string().describe("What to do"),
  })
  .meta({ id: "StatusProblem" });

const sourceStatus = z
  .object({
    source: z.string(),
    sequence: count,
    receivedAtSeconds: unixSeconds,
    expiresAtSeconds: unixSeconds.describe("From then on it counts as silent, and its jobs do not count"),
    ignoredMessages: count.describe("Left out, because a newer or the same one had come before"),
    jobs: count,
    nodes: count,
    expired: z.boolean().describe("Silent past its time to live: its jobs do not count"),
  })
  .meta({ id: "SourceStatus" });

const operationStatus = z
  .object({
    actionId: z.string(),
    kind: z.string(),
    state: operationState,
    reason: z.string(),
    nodes: count.describe("How many nodes it is about"),
    requestedBy,
    messages: z.array(z.string()),
    attempts: count.describe("Tries that CycleCloud could not answer"),
    updatedAtSeconds: unixSeconds,
  })
  .meta({ id: "OperationStatus" });

/** `GET /api/clusters/{cluster}/status`: what an operator wants to see first, on one page. */
export const statusAnswer = z
  .object({
    ...aboutCluster,
    problems: z.array(statusProblem).describe("What is wrong, the gravest first"),
    paused: z
      .object({ by: z.string(), reason: z.string(), atSeconds: unixSeconds })
      .nullable()
      .describe("Set: an operator paused the cluster; plans are made, and nothing is sent"),
    loginStopped: z
      .object({ atSeconds: unixSeconds, message: z.string() })
      .nullable()
      .describe(
        "Set: CycleCloud refused the login, and is not called until it changes or an operator resumes",
      ),
    snapshot: z
      .object({
        takenAtSeconds: unixSeconds,
        setAside: z.array(z.string()).describe("Records that could not be understood, one sentence each"),
      })
      .nullable(),
    nodes: z
      .record(z.string(), count)
      .describe("Nodes in each of CycleCloud's states; those outside every node array are not counted"),
    demand: z.array(sourceStatus),
    openOperations: count,
    operations: z.array(operationStatus).describe("The newest"),
    plans: z.array(planSummary).describe("The newest"),
    nextDeadlineSeconds: unixSeconds
      .nullable()
      .describe("When time alone makes another plan due; null: nothing waits for the clock"),
    backedOff: z
      .array(
        z.object({
          nodeArray: z.string(),
          vmSize: z.string(),
          untilSeconds: unixSeconds,
          why: z.string(),
        }),
      )
      .describe(
        "Buckets that the newest plan asked for no new nodes, because they gave less than asked before",
      ),
    bootsFailing: z
      .array(z.object({ nodeArray: z.string(), failures: count, untilSeconds: unixSeconds }))
      .describe("Node arrays that get no new nodes, because too many failed to boot"),
    waiting: z
      .array(waitingJob)
      .describe("The first jobs of the newest plan that did not get all they asked for"),
    rejections: z.array(rejectionView).describe("Of this cluster, and those that name no known cluster"),
  })
  .meta({ id: "Status" });

export type ClusterStatus = Answer<typeof statusAnswer>;
export type StatusProblem = Answer<typeof statusProblem>;
export type SourceStatus = ClusterStatus["demand"][number];
export type OperationStatus = ClusterStatus["operations"][number];
