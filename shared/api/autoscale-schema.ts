import { z } from "zod";
import { expirationIntervalSchema, nodeArrayShape, requestSetSchema } from "../messages/index.ts";
import { by } from "./actions.ts";
import { type Answer, aboutCluster, count, flag, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { demandParts } from "./demand-schema.ts";
import { setAsideItems } from "./post-demand-schema.ts";
import { metTarget } from "./status-schema.ts";

export const autoscaleQuery = z.object({
  request_set: requestSetSchema
    .default("standard")
    .describe("Replaces what was last asked for in this set; other sets stay"),
  expiration_interval: z.coerce
    .number()
    .pipe(expirationIntervalSchema)
    .default(300)
    .describe("Seconds for which the targets hold unless the set is asked for again"),
  dry_run: flag
    .default(false)
    .describe("true: only say what was understood, and what the plan would then do; answered with 200"),
  by: by.optional(),
});

/** What the body looks like; what its keys mean together is checked by the schema of the message. */
export const autoscaleBody = list(nodeArrayShape, "All node arrays that the set wants now");

export const autoscaleAnswer = named("AutoscaleAnswer", {
  ...aboutCluster,
  requestSet: z.string(),
  expiresAtSeconds: unixSeconds.describe("From then on the set wants nothing"),
  targets: list(
    z.object({
      name: z.string().describe("What its nodes are accounted to, such as execute or execute:64"),
      nodeArray: z.string().describe("CycleCloud's node array, which its nodes are made from"),
      dynamicArray: orNull(z.string(), "Null: its nodes are plain nodes of the array"),
      unit: z.enum(["nodes", "cores", "gpus", "groups", "spares", "slots"]),
      asked: count,
      groupSize: orNull(
        z.object({ kind: z.enum(["nodes", "cores"]), count }),
        "Of each group; null: no groups",
      ),
      vmSizes: list(z.string(), "Of new nodes, best first; empty: any of the array's"),
    }),
    "What was understood",
  ),
  warnings: list(
    z.string(),
    "What the newest snapshot of the cluster does not know; it was accepted all the same",
  ),
  setAside: setAsideItems.describe(
    "Definitions that did not check out; of a name that the set asked for before, what it asked then still holds",
  ),
  forecast: optional(
    z.object({
      held: orNull(z.string(), "Why nothing of it would be sent now; null: it would"),
      met: list(metTarget, "How far each target of the cluster would be met"),
      more: z.object({
        create: count.describe("Nodes that are created on top of what would be created without them"),
        start: count,
      }),
      ...demandParts,
    }),
    "Only of a dry run: the plan that would be made now with these targets",
  ),
});

export type AutoscaleAnswer = Answer<typeof autoscaleAnswer>;
