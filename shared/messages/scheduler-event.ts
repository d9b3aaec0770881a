import { z } from "zod";

/**
 * `node-joined`: the nodes have host names from now on, and are new to the scheduler even where it knows the name.
 * `node-deleted`: they are gone. `boot-timeout`: they did not come up in time and are given up.
 * `drain`: start no more jobs there, and report the nodes' `state`. `undrain`: they are wanted again.
 */
const kind = z.enum(["node-joined", "node-deleted", "boot-timeout", "drain", "undrain"]);

/**
 * What happened to nodes, or is asked of them. One Storage queue per source: `events-<source>`. It may come late, twice
 * and out of order: of two `drain` or `undrain` events about a node, the one with the larger `atSeconds` counts.
 */
export const schedulerEventSchema = z.object({
  version: z.literal(1),
  cluster: z.string().min(1),
  source: z.string().min(1),
  kind,
  nodes: z.array(z.object({ nodeId: z.string(), name: z.string(), hostname: z.string().nullable() })).min(1),
  /** When it happened or was decided; the same whenever it is sent again. */
  atSeconds: z.number(),
});

export type SchedulerEvent = z.infer<typeof schedulerEventSchema>;
