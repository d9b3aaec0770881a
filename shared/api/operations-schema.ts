import { z } from "zod";
import {
  type Answer,
  aboutCluster,
  count,
  flag,
  latestSeconds,
  paged,
  pageQuery,
  unixSeconds,
} from "./answer.ts";
import { selectionQuery } from "./selection-schema.ts";

export const operationState = z
  .enum(["planned", "sent", "accepted", "visible", "failed", "lost", "dropped"])
  .describe(
    "planned -> sent -> accepted -> visible, or failed (refused), lost (no effect seen), dropped (stale)",
  );

export const requestedBy = z
  .object({ who: z.string(), why: z.string() })
  .nullable()
  .describe("Who asked for it, and why, in their words; null: a plan asked for it");

/** A record of a request to CycleCloud and its fate. */
export const operationView = z
  .object({
    actionId: z.string(),
    kind: z.string().describe("create-nodes, start-nodes, shutdown-nodes, ..."),
    state: operationState,
    reason: z.string().describe("Why it was wanted"),
    requestedBy,
    planId: z.string().nullable().describe("The plan that it came from; null: it was requested"),
    requestId: z.string().describe("CycleCloud's idempotency token"),
    operationId: z.string().nullable().describe("CycleCloud's id of the operation, once accepted"),
    nodeCount: count.describe("How many nodes it is about"),
    nodes: z
      .array(z.object({ nodeId: z.string().nullable(), name: z.string() }))
      .describe("The nodes it made or is about, as far as they are known"),
    sets: z
      .array(
        z.object({
          nodeArray: z.string(),
          vmSize: z.string(),
          placementGroup: z.string().nullable(),
          asked: count,
          added: count.nullable().describe("Null until CycleCloud answered"),
        }),
      )
      .describe("Of a create: what was asked, per bucket"),
    messages: z.array(z.string()).describe("CycleCloud's words, or why it was closed"),
    attempts: count.describe("Tries that CycleCloud could not answer"),
    createdAtSeconds: unixSeconds,
    updatedAtSeconds: unixSeconds,
    expiresAtSeconds: unixSeconds.describe("Dropped if it was not carried out by then"),
  })
  .meta({ id: "Operation" });

/** `GET /api/clusters/{cluster}/operations`, newest first */
export const operationsAnswer = z
  .object({ ...aboutCluster, operations: z.array(operationView), ...paged })
  .meta({ id: "Operations" });

/** With a selection: operations about such nodes, also gone ones. Without `open`, the newest 1,000 are looked through. */
export const operationsQuery = z.object({
  ...pageQuery,
  ...selectionQuery,
  from: z.coerce
    .number()
    .min(0)
    .max(latestSeconds)
    .optional()
    .describe("Unix seconds: only those that were made then or later"),
  open: flag.optional().describe("true: only those that are on their way"),
});

export type OperationView = Answer<typeof operationView>;
export type OperationsAnswer = Answer<typeof operationsAnswer>;
export type OperationsQuery = Answer<typeof operationsQuery>;
