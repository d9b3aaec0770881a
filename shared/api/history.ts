import { z } from "zod";
import { type Answer, aboutCluster, paged, pageQuery, unixSeconds } from "./answer.ts";
import { operationView } from "./operations.ts";

/** One life of a node: from when a plan first saw it until it was gone. */
export const nodeLife = z
  .object({
    nodeId: z.string(),
    name: z.string(),
    hostname: z.string().nullable(),
    instanceId: z.string().nullable(),
    firstSeenSeconds: unixSeconds,
    readySeconds: unixSeconds.nullable().describe("First seen Ready; null: never"),
    idleSinceSeconds: unixSeconds
      .nullable()
      .describe("Since when nothing matched it; null: matched, or not Ready"),
    deletedSeconds: unixSeconds.nullable().describe("No longer seen; null: it exists"),
  })
  .meta({ id: "NodeLife" });

/** `GET /api/clusters/{cluster}/nodes/{node}/history`: all that is remembered (7 days) of a node's name, id or host name. */
export const historyAnswer = z
  .object({
    ...aboutCluster,
    node: z.string(),
    lives: z.array(nodeLife).describe("Newest first"),
    operations: z.array(operationView).describe("Those that were about it, newest first"),
    ...paged,
  })
  .meta({ id: "NodeHistory" });

export const historyQuery = z.object(pageQuery);

export type NodeLife = Answer<typeof nodeLife>;
export type HistoryAnswer = Answer<typeof historyAnswer>;
