import { z } from "zod";
import { workloadSchema } from "./workload.ts";

/** What a simulated scheduler says of itself when it asks for orders. */
export const reportSchema = z.strictObject({
  source: z.string().min(1),
  /** The number of the last order that it has carried out; 0: none. */
  takenOrder: z.int().min(0),
  progress: z.object({ total: z.int(), waiting: z.int(), running: z.int(), done: z.int(), later: z.int() }),
  /** The jobs that orders have submitted, by tasks. */
  jobs: z.array(
    z.object({ name: z.string(), waiting: z.int(), running: z.int(), done: z.int(), lost: z.int() }),
  ),
});

export type SchedulerReport = z.output<typeof reportSchema>;

const number = z.int().min(1);

/** What a scheduler is asked to do. Submit times count from the moment when it takes the order. */
const orderSchema = z.discriminatedUnion("kind", [
  z.object({ number, kind: z.literal("submit"), jobs: workloadSchema.min(1) }),
  z.object({ number, kind: z.literal("cancel"), names: z.array(z.string()) }),
]);

export type Order = z.output<typeof orderSchema>;

/** The answer to a report. */
export const ordersSchema = z.object({
  /** Whether it posts nothing, as if its agent had stopped. */
  isSilent: z.boolean(),
  /** Those that it has not taken yet. */
  orders: z.array(orderSchema),
});

export type Orders = z.output<typeof ordersSchema>;

export const submitSchema = z.strictObject({ cluster: z.string(), jobs: workloadSchema.min(1) });
/** A `*` at the end of a name means every job whose name begins so. */
export const cancelSchema = z.strictObject({ cluster: z.string(), names: z.array(z.string().min(1)).min(1) });
export const silenceSchema = z.strictObject({ cluster: z.string(), on: z.boolean() });

/** Whether a name of a cancel order means this job. */
export function isMeant(named: string, job: string): boolean {
  return named.endsWith("*") ? job.startsWith(named.slice(0, -1)) : job === named;
}
