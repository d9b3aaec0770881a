import { z } from "zod";
import { placements } from "../../shared/engine/index.ts";

export const orderSchema = z.object({
  name: z.string(),
  jobs: z.int(),
  /** Existing nodes of the cluster. */
  nodes: z.int(),
  /** The file of a recorded workload whose first jobs these are. */
  trace: z.string().optional(),
  /** For all node arrays; absent: the configuration's default. */
  placement: z.enum(placements).optional(),
});

/** What to measure. */
export type Order = z.output<typeof orderSchema>;

export const measurementSchema = orderSchema.extend({
  /** Planning in a process that has planned before. */
  planMs: z.number(),
  /** JSON.parse and a schema check of the plan's input: the yardstick. */
  readMs: z.number(),
  /** Planning by the yardstick, which travels between machines. */
  ratio: z.number(),
  /** From the text of the stored blobs to the plan's input, as the service does it. */
  serviceReadMs: z.number(),
  /** The first plan of a process. */
  coldMs: z.number(),
  /** Packing and compressing the plan for the archive. */
  writeMs: z.number(),
  placed: z.int(),
  archiveKb: z.int(),
  peakRssMb: z.int(),
});

export type Measurement = z.output<typeof measurementSchema>;
