import { z } from "zod";
import type { Memory } from "../driver.ts";

const place = z
  .object({
    nodeArray: z.string().optional(),
    vmSize: z.string().optional(),
    placementGroup: z.string().nullable().optional(),
    nodeId: z.string().optional(),
  })
  .readonly();

/** What is known of a node beside what PBS has of it, from the event that it joined. */
export type NodePlace = z.infer<typeof place>;

const remembered = z.object({
  /** Resources of hosts that a site added to PBS. */
  resources: z.array(z.string()).readonly().optional().catch(undefined),
  /** Whether some host was held by a reservation. */
  hasReservations: z.boolean().optional().catch(undefined),
  /** Whether some job that waits wants nodes with one value of a resource. */
  hasGroups: z.boolean().optional().catch(undefined),
  /** By the short name of the host. */
  joined: z.record(z.string(), place).catch({}).default({}),
  /** Hosts whose nodes are gone, and that PBS would not let go at once: they had jobs. */
  deleted: z.array(z.string()).readonly().catch([]).default([]),
  /** Hosts that somebody else took offline. */
  byOthers: z.array(z.string()).readonly().catch([]).default([]),
  /** Of hosts that are offline: PBS loses comments when its server starts again. */
  comments: z.record(z.string(), z.string()).catch({}).default({}),
  /** What nodes of an array offered that are not there any more. */
  shapes: z
    .array(
      z.object({
        nodeArray: z.string(),
        vmSize: z.string().optional(),
        resources: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
      }),
    )
    .readonly()
    .catch([])
    .default([]),
});

export type Remembered = z.infer<typeof remembered>;

/** Of another release, or lost: nothing. */
export function remember(memory: Memory): Remembered {
  return remembered.catch(() => remembered.parse({})).parse(memory);
}
