import { z } from "zod";
import { by } from "./actions.ts";
import { type Answer, aboutCluster, count, paged, pageQuery, unixSeconds } from "./answer.ts";
import { named, optional, orNull, request } from "./builders.ts";

export const rejectionView = named("Rejection", {
  rejectionId: z.string(),
  kind: z
    .enum(["set-aside", "invalid", "poison", "dead-letter"])
    .describe("set-aside: the message took effect, but for the items that the problems name"),
  cluster: optional(z.string(), "Absent when the message does not say"),
  source: z.string().optional(),
  queue: z.string(),
  receivedAtSeconds: unixSeconds,
  attempts: optional(count, "Deliveries; absent when the queue does not tell"),
  problems: z.array(z.string()),
  excerpt: z.string().describe("The start of the message"),
  replayedAtSeconds: optional(unixSeconds, "When it, or a fixed one, was last sent again"),
});

/** `GET /api/clusters/{cluster}/rejects`, newest first: of the cluster, and those that name no known one. */
export const rejectsAnswer = named("Rejections", {
  ...aboutCluster,
  rejections: z.array(rejectionView),
  ...paged,
});

export const rejectsQuery = z.object(pageQuery);

export const rejectAnswer = named("Reject", {
  ...aboutCluster,
  rejection: rejectionView,
  message: orNull(
    z.string(),
    "As it came, whole; null when it was too large to be kept. Its sender chose what it holds",
  ),
});

export const replayBody = request("ReplayRequest", {
  message: optional(
    z
      .string()
      .min(1)
      .max(64 * 1024),
    "A fixed demand message, which is posted in place of the stored one",
  ),
  by: by.optional(),
  dryRun: z.boolean().default(false).describe("true: only say what would be done"),
});

export const replayAnswer = named("Replayed", {
  ...aboutCluster,
  outcome: z.enum(["done", "would"]),
  summary: z.string().describe("The same in a sentence"),
});

export type RejectAnswer = Answer<typeof rejectAnswer>;
export type ReplayBody = Answer<typeof replayBody>;
export type ReplayAnswer = Answer<typeof replayAnswer>;
export type RejectionView = Answer<typeof rejectionView>;
export type RejectsAnswer = Answer<typeof rejectsAnswer>;
