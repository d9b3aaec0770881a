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
import { list, named, optional, orNull } from "./builders.ts";
import { selectionQuery } from "./selection-schema.ts";

export const operationState = z
  .enum(["planned", "sent", "accepted", "visible", "failed", "lost", "dropped"])
  .describe(
    "planned -> sent -> accepted -> visible, or failed (refused), lost (no effect seen), dropped (stale)",
  );

export const requestedBy = orNull(
  z.object({ who: z.string(), why: z.string() }),
  "Who asked for it, and why, in their words; null: a plan asked for it",
);

/** A record of a request to CycleCloud and its fate. */
export const operationView = named("Operation", {
  actionId: z.string(),
  kind: z.string().describe("create-nodes, start-nodes, shutdown-nodes, ..."),
  state: operationState,
  reason: z.string().describe("Why it was wanted"),
  requestedBy,
  planId: orNull(z.string(), "The plan that it came from; null: it was requested"),
  requestId: z.string().describe("CycleCloud's idempotency token"),
  operationId: orNull(z.string(), "CycleCloud's id of the operation, once accepted"),
  nodeCount: count.describe("How many nodes it is about"),
  nodes: list(
    z.object({ nodeId: z.string().nullable(), name: z.string() }),
    "The nodes it made or is about, as far as they are known",
  ),
  sets: list(
    z.object({
      nodeArray: z.string(),
      vmSize: z.string(),
      placementGroup: z.string().nullable(),
      asked: count,
      added: orNull(count, "Null until CycleCloud answered"),
    }),
    "Of a create: what was asked, per bucket",
  ),
  messages: list(z.string(), "CycleCloud's words, or why it was closed"),
  attempts: count.describe("Tries that CycleCloud could not answer"),
  createdAtSeconds: unixSeconds,
  updatedAtSeconds: unixSeconds,
  expiresAtSeconds: unixSeconds.describe("Dropped if it was not carried out by then"),
});

/** `GET /api/clusters/{cluster}/operations`, newest first */
export const operationsAnswer = named("Operations", {
  ...aboutCluster,
  operations: z.array(operationView),
  ...paged,
});

/** With a selection: operations about such nodes, also gone ones. Without `open`, the newest 1,000 are looked through. */
export const operationsQuery = z.object({
  ...pageQuery,
  ...selectionQuery,
  from: optional(
    z.coerce.number().min(0).max(latestSeconds),
    "Unix seconds: only those that were made then or later",
  ),
  open: optional(flag, "true: only those that are on their way"),
});

export type OperationView = Answer<typeof operationView>;
export type OperationsAnswer = Answer<typeof operationsAnswer>;
export type OperationsQuery = Answer<typeof operationsQuery>;
