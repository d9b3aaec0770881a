import { z } from "zod";
import { type Answer, aboutCluster, count } from "./answer.ts";
import { refusalView } from "./explain.ts";
import { selection } from "./selection.ts";

/** `POST /api/clusters/{cluster}/validate-constraint` */
export const validateConstraintBody = z
  .object({
    constraints: z.unknown().describe("An object, or a list of objects, as in a job"),
    nodes: selection
      .optional()
      .describe("Only these nodes and, as in `buckets`, the buckets that are selected with them"),
  })
  .strict()
  .meta({ id: "ValidateConstraintRequest" });

export const validateConstraintAnswer = z
  .object({
    ...aboutCluster,
    ok: z.boolean().describe("Whether they can be read"),
    problems: z.array(z.object({ path: z.string(), message: z.string() })),
    parsed: z.array(z.string()).describe("Each constraint as it was understood"),
    buckets: z
      .array(
        z.object({
          nodeArray: z.string(),
          vmSize: z.string(),
          placementGroup: z.string().nullable(),
          fits: z.boolean().describe("Whether an empty node of the bucket satisfies them"),
          refusals: z.array(refusalView),
        }),
      )
      .describe("Empty when they cannot be read"),
    matchingNodes: z.array(z.string()).describe("Nodes that they match as they are, the first 100 by name"),
    matchingNodeCount: count,
  })
  .meta({ id: "ValidateConstraint" });

export type ValidateConstraintBody = Answer<typeof validateConstraintBody>;
export type ValidateConstraintAnswer = Answer<typeof validateConstraintAnswer>;
