import { z } from "zod";
import { type Answer, aboutCluster, count, paged, pageQuery, unixSeconds } from "./answer.ts";

export const rejectionView = z
  .object({
    rejectionId: z.string(),
    kind: z.enum(["invalid", "poison", "dead-letter"]),
    cluster: z.string().optional().describe("Absent when the message does not say"),
    source: z.string().optional(),
    queue: z.string(),
    receivedAtSeconds: unixSeconds,
    attempts: count.optional().describe("Deliveries; absent when the queue does not tell"),
    problems: z.array(z.string()),
    excerpt: z.string().describe("The start of the message"),
    replayedAtSeconds: unixSeconds
      .optional()
      .describe("When it, or a mended one, was sent again; the last time"),
  })
  .meta({ id: "Rejection" });

/** `GET /api/clusters/{cluster}/rejects`, newest first: of the cluster, and those that name no known one. */
export const rejectsAnswer = z
  .object({ ...aboutCluster, rejections: z.array(rejectionView), ...paged })
  .meta({ id: "Rejections" });

export const rejectsQuery = z.object(pageQuery);

export type RejectionView = Answer<typeof rejectionView>;
export type RejectsAnswer = Answer<typeof rejectsAnswer>;
