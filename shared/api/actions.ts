import { z } from "zod";
import { redactText } from "../text/redact.ts";
import { type Answer, aboutCluster, count, durationSeconds, latestSeconds, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull, request } from "./builders.ts";
import { selection } from "./selection-schema.ts";

/** A caller's own word for who calls. */
export const by = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("Who asks; a name that is known for certain, as by a token, wins");

/** Words of a person are kept, logged and shown to others: a secret in them is taken out at once. */
const reasonSchema = z.string().trim().min(1).max(500).overwrite(redactText);

/** What everything says that changes something. */
export const requestFields = {
  by,
  reason: reasonSchema.describe("Why, for the record"),
  dryRun: z.boolean().default(false).describe("true: only say what would be done"),
};

const onNodes = {
  ...requestFields,
  nodes: selection,
  force: z.boolean().default(false).describe("true: also nodes on which jobs run"),
};

const selectedActionKinds = [
  "delete",
  "remove",
  "terminate",
  "start",
  "deallocate",
  "restart",
  "reimage",
] as const;

/** Acts on nodes that exist, one kind each. */
const nodeActionKinds = [...selectedActionKinds, "drain", "retry-failed"] as const;

const untilSeconds = optional(
  unixSeconds.min(0).max(latestSeconds),
  "When this ends by itself, Unix time in seconds; absent: when somebody ends it",
);

/** They travel with every action that makes such nodes, and an action has to fit a message. */
const mostAttributeBytes = 8 * 1024;

const attributeValue = z.union([
  z.string().max(4_000),
  z.number(),
  z.boolean(),
  z.null(),
  z.record(z.string(), z.unknown()),
]);

const createNodesBody = z
  .object({
    kind: z.literal("create-nodes"),
    ...requestFields,
    nodeArray: optional(z.string().min(1).max(300), "Absent: the planner chooses"),
    vmSize: optional(z.string().min(1).max(300), "Absent: the planner chooses"),
    placementGroup: z.string().min(1).max(300).optional(),
    count: optional(
      z.int().min(1).max(10_000, "expected at most 10000 nodes in one request"),
      "Nodes; either this or `slots`",
    ),
    slots: optional(
      z.int().min(1).max(1_000_000, "expected at most 1000000 slots in one request"),
      "As many nodes as that many slots need (with `constraints` per slot, one vcpu without)",
    ),
    constraints: optional(z.array(z.record(z.string(), z.unknown())), "What each node or slot needs"),
    exclusive: z.boolean().default(false).describe("One slot per node"),
    strategy: z
      .enum(["pack", "scatter"])
      .default("pack")
      .describe(
        "As of a job. pack: nodes as full as slots make them, from as many buckets as it takes, in order of preference; scatter: each slot on a node of its own, and all nodes of one bucket (array, VM size, placement group), or none",
      ),
    keepAlive: z.boolean().default(false).describe("Nobody but the operator may delete the new nodes"),
    nameFormat: z
      .string()
      .regex(/^[A-Za-z0-9-]*%d[A-Za-z0-9-]*$/, "expected letters, digits, dashes and one %d")
      .max(60)
      .optional(),
    names: optional(
      z
        .array(
          z
            .string()
            .max(60)
            .regex(
              /^(?:[A-Za-z0-9-]*[A-Za-z-])?(0|[1-9]\d{0,8})$/,
              "expected letters, digits and dashes, and a number at the end without leading zeros",
            ),
        )
        .min(1)
        .max(1_000, "expected at most 1000 names in one request")
        .refine((names) => new Set(names).size === names.length, { message: "expected each name once" }),
      "Nodes of exactly these names, instead of `count`; needs `nodeArray`",
    ),
    nodeAttributes: optional(
      z
        .record(z.string().max(200), attributeValue)
        .refine((attributes) => Buffer.byteLength(JSON.stringify(attributes)) <= mostAttributeBytes, {
          message: `expected at most ${mostAttributeBytes} bytes of attributes`,
        }),
      "Sent along to CycleCloud",
    ),
  })
  .strict()
  .refine(
    ({ count, slots, names }) => [count, slots, names].filter((each) => each !== undefined).length === 1,
    {
      message: "expected one of count, slots and names",
      path: ["count"],
    },
  )
  .refine(({ names, nodeArray }) => names === undefined || nodeArray !== undefined, {
    message: "expected the node array of these names",
    path: ["nodeArray"],
  })
  .refine(({ names, nameFormat }) => names === undefined || nameFormat === undefined, {
    message: "expected none with names",
    path: ["nameFormat"],
  })
  .meta({ id: "CreateNodesRequest" });

const nodeActionBody = request("NodeActionRequest", { kind: z.enum(selectedActionKinds), ...onNodes });

const drainBody = request(
  "DrainRequest",
  { kind: z.literal("drain"), ...onNodes, untilSeconds },
  "These nodes take no new jobs, and go by the idle time-out like any other",
);

const retryFailedBody = request("RetryFailedRequest", {
  kind: z.literal("retry-failed"),
  ...onNodes,
  nodes: optional(
    selection,
    "Absent: all failed nodes. With it, CycleCloud retries all the same: its call takes no list",
  ),
});

export const actionBody = z
  .discriminatedUnion("kind", [
    createNodesBody,
    nodeActionBody,
    drainBody,
    retryFailedBody,
    z
      .object({
        kind: z.literal("keep-alive"),
        ...requestFields,
        nodes: selection,
        on: z.boolean(),
        untilSeconds,
      })
      .strict()
      .refine((body) => body.on || body.untilSeconds === undefined, {
        message: "expected none with on: false",
        path: ["untilSeconds"],
      })
      .describe(
        "On: these nodes take jobs as ever, and nobody but an operator deletes them, until this is taken off or they are gone",
      )
      .meta({ id: "KeepAliveRequest" }),
    request(
      "IgnoreRequest",
      { kind: z.literal("ignore"), ...requestFields, nodes: selection, untilSeconds },
      "The autoscaler leaves these nodes alone: no jobs, no deletion, no retry",
    ),
    request(
      "UnignoreRequest",
      { kind: z.literal("unignore"), ...requestFields, nodes: selection },
      "The end of `ignore`",
    ),
    request(
      "UndrainRequest",
      { kind: z.literal("undrain"), ...requestFields, nodes: selection },
      "The end of `drain`: these nodes take jobs again",
    ),
    request(
      "RollRequest",
      {
        kind: z.literal("roll"),
        ...requestFields,
        nodes: selection,
        atOnce: z
          .union([
            z.int().min(1).max(10_000),
            z.string().regex(/^(100|[1-9]\d?)%$/, "expected a share such as 10%"),
          ])
          .describe("How many of them are drained at the same time: a number, or a share such as `10%`"),
        replace: z
          .boolean()
          .default(false)
          .describe("true: each is deleted once no job runs there; false: it stays drained"),
      },
      "Drains nodes one after the other; the service goes on by itself",
    ),
    request(
      "StopRollingRequest",
      { kind: z.literal("stop-rolling"), ...requestFields },
      "The end of `roll`: nodes whose turn has not come are left as they are",
    ),
    request(
      "PauseRequest",
      { kind: z.literal("pause"), ...requestFields, untilSeconds },
      "Plans are made, and nothing is sent",
    ),
    request(
      "ResumeRequest",
      { kind: z.literal("resume"), ...requestFields },
      "The end of `pause`, or one more try of a refused login",
    ),
  ])
  .meta({ id: "ActionRequest" });

/** What became, or would become, of a request. */
export const actionAnswer = named("ActionAnswer", {
  ...aboutCluster,
  outcome: z
    .enum(["requested", "done", "would", "nothing-to-do", "refused"])
    .describe(
      "requested: recorded and sent to the executor, see `operations`; done: took effect at once; would: a dry run; nothing-to-do: no node is left to act on, see `skipped`; refused: a dry run of what would be refused, see `problems` (without `dryRun`, a problem with status 409)",
    ),
  summary: z.string().describe("The same in a sentence"),
  actions: list(
    z.object({
      actionId: orNull(z.string(), "Follow it with `operations/{actionId}`; null in a dry run"),
      kind: z.string(),
      nodes: z.array(z.object({ nodeId: z.string(), name: z.string() })),
      create: z.array(
        z.object({
          nodeArray: z.string(),
          vmSize: z.string(),
          placementGroup: z.string().nullable(),
          count,
          names: z.array(z.string()),
        }),
      ),
    }),
    "One per request to CycleCloud",
  ),
  skipped: list(
    z.object({
      node: z.string(),
      why: z.string(),
      next: z.string(),
      refused: z
        .boolean()
        .describe(
          "true: what was asked for cannot be done to it, or is not done; false: it is so already, or is becoming so",
        ),
    }),
    "Nodes that were selected and are left alone, and why",
  ),
  problems: z.array(z.string()),
  expiresInSeconds: orNull(durationSeconds, "Not carried out after that; null: not sent"),
});

export type ActionBody = Answer<typeof actionBody>;
export type DrainBody = Answer<typeof drainBody>;
export type CreateNodesBody = Answer<typeof createNodesBody>;
export type NodeActionKind = (typeof nodeActionKinds)[number];
export type ActionAnswer = Answer<typeof actionAnswer>;

const instance = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .describe("Which node: its instance id (`jetpack config cyclecloud.instance.id`) or its node id");

export const autostopQuery = z.object({ instance });

export const stopQuery = z.object({
  instance,
  reason: reasonSchema.default("asked to stop").describe("Why, for the record"),
  by: by.default("caller of stop"),
});

/** What a node is told that stops. One that has to stay gets 409 and a problem of kind `refused` that says why. */
export const stopAnswer = named("StopAnswer", {
  ...aboutCluster,
  node: z.string().describe("Its name"),
  outcome: z
    .enum(["granted", "leaving"])
    .describe("granted: it is going to be deleted; leaving: that was decided before"),
  actionId: orNull(z.string(), "Follow it with `operations/{actionId}`; null when leaving"),
});

/** Azure's Scheduled Events that end a node, or lose what is on it. */
const leavingEvents = ["Preempt", "Terminate", "Redeploy"] as const;

export const leavingBody = request("LeavingRequest", {
  instance,
  event: z.enum(leavingEvents).describe("`EventType` of Azure's Scheduled Events"),
  notBefore: optional(
    z
      .string()
      .max(100)
      .refine((text) => !Number.isNaN(Date.parse(text)), { message: "expected a date" }),
    "`NotBefore` of the event; absent: Azure begins now",
  ),
});

/** Answer to a node that reports such an event. The node takes no new jobs; its scheduler decides about running ones. */
export const leavingAnswer = named("LeavingAnswer", {
  ...aboutCluster,
  node: z.string().describe("Its name"),
  outcome: z
    .enum(["draining", "drained-before", "leaving"])
    .describe(
      "draining: it takes no new jobs from now on; drained-before: an earlier drain holds that lasts long enough, or is an operator's; leaving: it is on its way out",
    ),
  untilSeconds: orNull(
    unixSeconds,
    "A machine that is still there then takes jobs again, Unix time in seconds; null: the drain does not end by itself",
  ),
});
