import { z } from "zod";

/** How many nodes of one kind to create; `names` are what the planner expects CycleCloud to call them. */
const createSet = z.object({
  nodeArray: z.string().min(1),
  vmSize: z.string().min(1),
  placementGroup: z.string().min(1).nullable(),
  /** The dynamic array that they are accounted to, which `nodeAttributes` marks them with. */
  dynamicArray: z.string().min(1).optional(),
  count: z.int().positive(),
  names: z.array(z.string().min(1)),
  nameFormat: z.string().min(1).optional(),
  nameOffset: z.int().nonnegative().optional(),
  nodeAttributes: z.record(z.string(), z.unknown()).optional(),
});

/** How schedulers were asked to drain an idle node before it goes. */
const drain = z.object({
  /** The `atSeconds` of the event. */
  sinceSeconds: z.number(),
  /** Not all of them reported it drained in time. */
  isTimedOut: z.boolean(),
});

const actionNode = z.object({
  nodeId: z.string().min(1),
  name: z.string().min(1),
  hostname: z.string().optional(),
  drain: drain.optional(),
});

/** Somebody other than the planner who asked for an action, and why: in their words. */
const requestedBySchema = z.object({ who: z.string().min(1), why: z.string() });

const envelope = {
  version: z.literal(1),
  /** Unique, derived from the plan or the request: also the Service Bus message id, so a repeated send is dropped. */
  actionId: z.string().min(1),
  /** The plan that wants it. Null: no plan does; `requestedBy` names who asked. */
  planId: z.string().min(1).nullable(),
  requestedBy: requestedBySchema.optional(),
  cluster: z.string().min(1),
  /** CycleCloud's idempotency token, derived from the action id. */
  requestId: z.string().min(1),
  /** Why it is wanted, for people. */
  reason: z.string(),
  createdAtSeconds: z.number(),
  /** When the plan was asked for; absent when no plan wants the action. */
  askedAtSeconds: z.number().optional(),
  /** W3C trace context of the plan. */
  traceparent: z.string().optional(),
  /** Not carried out after this time (Unix seconds): the world has moved on. */
  expiresAtSeconds: z.number(),
};

/**
 * What the planner, or somebody through `requestAction`, asks the executor to do. Queue `scale-actions`, one session per
 * cluster, in order.
 */
export const scaleActionSchema = z.discriminatedUnion("kind", [
  z.object({
    ...envelope,
    kind: z.literal("create-nodes"),
    /** When the snapshot that its plan was made from was taken; absent when no plan wants the action. */
    snapshotTakenAtSeconds: z.number().optional(),
    /** Some of the nodes are for targets. */
    forTargets: z.literal(true).optional(),
    sets: z.array(createSet).min(1),
  }),
  z.object({ ...envelope, kind: z.literal("start-nodes"), nodes: z.array(actionNode).min(1) }),
  z.object({
    ...envelope,
    kind: z.literal("shutdown-nodes"),
    cause: z.enum([
      "idle-timeout",
      "unwanted",
      "boot-timeout",
      "failed",
      "spot-released",
      "unhealthy",
      "deallocated",
      "autostop",
      "operator",
    ]),
    /** An operator's request that includes nodes with running jobs. Keep-alive nodes are never included. */
    force: z.boolean().optional(),
    /** What becomes of the nodes. Absent: each goes as its shutdown policy says. */
    verb: z.enum(["deallocate", "terminate"]).optional(),
    nodes: z.array(actionNode).min(1),
  }),
  z.object({ ...envelope, kind: z.literal("retry-failed"), nodes: z.array(actionNode).min(1) }),
  /** Kinds that only operators ask for. */
  z.object({
    ...envelope,
    kind: z.enum(["remove-nodes", "terminate-nodes", "deallocate-nodes", "restart-nodes", "reimage-nodes"]),
    /** Also nodes that run a job. Keep-alive nodes never are. */
    force: z.boolean().optional(),
    nodes: z.array(actionNode).min(1),
  }),
]);

export type ScaleAction = z.infer<typeof scaleActionSchema>;
export type CreateNodesAction = Extract<ScaleAction, { kind: "create-nodes" }>;
export type NodesAction = Exclude<ScaleAction, { kind: "create-nodes" }>;
/** Kinds that only operators ask for. */
export type ManageNodesAction = Exclude<
  NodesAction,
  { kind: "start-nodes" } | { kind: "shutdown-nodes" } | { kind: "retry-failed" }
>;
export type ActionCreateSet = z.infer<typeof createSet>;
export type ActionNode = z.infer<typeof actionNode>;
export type ActionDrain = z.infer<typeof drain>;
export type RequestedBy = z.infer<typeof requestedBySchema>;
