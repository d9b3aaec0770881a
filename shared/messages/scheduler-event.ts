import { z } from "zod";

/** What happened to nodes that a scheduler may want to know of. One Storage queue per source: `events-<source>`. */
export const schedulerEventSchema = z.object({
  version: z.literal(1),
  cluster: z.string().min(1),
  source: z.string().min(1),
  kind: z.enum(["node-joined", "node-deleted"]),
  nodes: z.array(z.object({ nodeId: z.string(), name: z.string(), hostname: z.string().nullable() })).min(1),
  atSeconds: z.number(),
});

export type SchedulerEvent = z.infer<typeof schedulerEventSchema>;
