import { z } from "zod";

/** How many nodes of one kind to create; `names` are what the planner expects CycleCloud to call them. */
const createSet = z.object({
  nodeArray: z.string().min(1),
  vmSize: z.string().min(1),
  placementGroup: z.string().min(1).nullable(),
  count: z.int().positive(),
  names: z.array(z.string().min(1)),
  nameFormat: z.string().min(1).optional(),
  nameOffset: z.int().nonnegative().optional(),
  nodeAttributes: z.record(z.string(), z.unknown()).optional(),
});

const actionNode = z.object({
  nodeId: z.string().min(1),
  name: z.string().min(1),
  hostname: z.string().optional(),
});

const envelope = {
  version: z.literal(1),
  /** Unique, derived from the plan: also the Service Bus message id, so a repeated send is dropped. */
  actionId: z.string().min(1),
  planId: z.string().min(1),
  cluster: z.string().min(1),
  /** CycleCloud's idempotency token, derived from the action id. */
  requestId: z.string().min(1),
  /** Why the planner wants it, for people. */
  reason: z.string(),
  createdAtSeconds: z.number(),
  /** Not carried out after this time (Unix seconds): the world has moved on. */
  expiresAtSeconds: z.number(),
};

/** What the planner asks the executor to do. Queue `scale-actions`, one session per cluster, in order. */
export const scaleActionSchema = z.discriminatedUnion("kind", [
  z.object({ ...envelope, kind: z.literal("create-nodes"), sets: z.array(createSet).min(1) }),
  z.object({ ...envelope, kind: z.literal("start-nodes"), nodes: z.array(actionNode).min(1) }),
  z.object({
    ...envelope,
    kind: z.literal("shutdown-nodes"),
    cause: z.enum(["idle-timeout", "boot-timeout", "failed"]),
    nodes: z.array(actionNode).min(1),
  }),
  z.object({ ...envelope, kind: z.literal("retry-failed"), nodes: z.array(actionNode).min(1) }),
]);

export type ScaleAction = z.infer<typeof scaleActionSchema>;
export type CreateNodesAction = Extract<ScaleAction, { kind: "create-nodes" }>;
export type NodesAction = Exclude<ScaleAction, { kind: "create-nodes" }>;
export type ActionCreateSet = z.infer<typeof createSet>;
export type ActionNode = z.infer<typeof actionNode>;
