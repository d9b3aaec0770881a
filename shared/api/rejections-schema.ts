import { z } from "zod";
import { by } from "./actions.ts";
import { type Answer, aboutCluster, count, paged, pageQuery, unixSeconds } from "./answer.ts";

export const rejectionView = z
  .object({
    rejectionId: z.string(),
    kind: z
      .enum(["set-aside", "invalid", "poison", "dead-letter"])
      .describe("set-aside: the message took effect, but for the items that the problems name"),
    cluster: z.string().optional().describe("Absent when the message does not say"),
    source: z.string().optional(),
    queue: z.string(),
    receivedAtSeconds: unixSeconds,
    attempts: count.optional().describe("Deliveries; absent when the queue does not tell"),
    problems: z.array(z.string()),
    excerpt: z.string().describe("The start of the message"),
    replayedAtSeconds: unixSeconds.optional().describe("When it, or a fixed one, was last sent again"),
  })
  .meta({ id: "Rejection" });

/** `GET /api/clusters/{cluster}/rejects`, newest first: of the cluster, and those that name no known one. */
export const rejectsAnswer = z
  .object({ ...aboutCluster, rejections: z.array(rejectionView), ...paged })
  .meta({ id: "Rejections" });

export const rejectsQuery = z.object(pageQuery);

export const rejectAnswer = z
  .object({
    ...aboutCluster,
    rejection: rejectionView,
    message: z
      .string()
      .nullable()
      .describe("As it came, whole; null when it was too large to be kept. Its sender chose what it holds"),
  })
  .meta({ id: "Reject" });

export const replayBody = z
  .object({
    message: z
      .string()
      .min(1)
      .max(64 * 1024)
      .optional()
      .describe("A fixed demand message, which is posted in place of the stored one"),
    by: by.optional(),
    dryRun: z.boolean().default(false).describe("true: only say what would be done"),
  })
  .strict()
  .meta({ id: "ReplayRequest" });

export const replayAnswer = z
  .object({
    ...aboutCluster,
    outcome: z.enum(["done", "would"]),
    summary: z.string().describe("The same in a sentence"),
  })
  .meta({ id: "Replayed" });

export type RejectAnswer = Answer<typeof rejectAnswer>;
export type ReplayBody = Answer<typeof replayBody>;
export type ReplayAnswer = Answer<typeof replayAnswer>;
export type RejectionView = Answer<typeof rejectionView>;
export type RejectsAnswer = Answer<typeof rejectsAnswer>;
