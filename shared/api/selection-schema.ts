import { z } from "zod";
import type { Answer } from "./answer.ts";
import { optional } from "./builders.ts";

const pattern = z.string().min(1).max(300);
const patterns = z.array(pattern).min(1).max(1_000);
/** As many as a cluster may have nodes: whoever has a list of them can send it whole. */
const nodePatterns = z.array(pattern).min(1).max(10_000);

/** Which nodes: of several kinds all must hold, of several patterns of one kind one. At least one kind is needed. */
export const selection = z
  .object({
    names: optional(nodePatterns, "Node names; shell wildcards allowed"),
    nodeIds: optional(nodePatterns, "Exactly these"),
    hostnames: optional(patterns, "Host names; shell wildcards allowed"),
    nodeArrays: optional(patterns, "Node arrays; shell wildcards allowed"),
    constraints: optional(
      z.array(z.record(z.string(), z.unknown())).min(1),
      'Constraints as in a job, such as `[{"node.vm_size": "Standard_F*"}]`',
    ),
  })
  .strict()
  .refine((kinds) => Object.values(kinds).some((kind) => kind !== undefined), "expected at least one kind")
  .meta({ id: "Selection" });

/** Patterns of one kind, comma-separated: of several one must hold. */
export const globs = z
  .string()
  .min(1)
  .max(10_000)
  .transform((text) => text.split(",").map((each) => each.trim()))
  .optional();

/** The same in a query. */
export const selectionQuery = {
  name: globs.describe("Names, comma-separated; shell wildcards allowed"),
  hostname: globs.describe("Host names, comma-separated; shell wildcards allowed"),
  nodeArray: globs.describe("Node arrays, comma-separated; shell wildcards allowed"),
  constraint: optional(
    z.string().max(10_000),
    'Constraints as JSON, such as `{"node.vm_size": "Standard_F*"}`, asked of nodes as if no job were on them',
  ),
};

const selectionQuerySchema = z.object(selectionQuery);

export type Selection = Answer<typeof selection>;
export type SelectionQuery = Answer<typeof selectionQuerySchema>;
