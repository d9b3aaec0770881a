import { z } from "zod";

/** Asks for a plan or a check of one cluster. Queue `plan-requests`, one session per cluster. */
export const planRequestSchema = z.object({
  version: z.literal(1),
  cluster: z.string().min(1),
  /** The event behind the request, for people and logs: "demand from celery", "snapshot changed", "idle deadline". */
  reason: z.string(),
  atSeconds: z.number(),
  /** W3C trace context of the run that asked. */
  traceparent: z.string().optional(),
  /** Asked for because of new demand or targets alone: of no use when the newest plan has seen all that there is. */
  onlyDemand: z.literal(true).optional(),
  /** Put off until a second after the start of this plan: planned if that is the newest still. */
  afterPlan: z.string().optional(),
  /** Take a snapshot, unless one was begun after `atSeconds`; that asks for a plan itself when anything changed. */
  refresh: z.literal(true).optional(),
  /** Asked for by the snapshot timer: taken if the cluster's rhythm wants one now. */
  onBeat: z.literal(true).optional(),
  /** With `onBeat`: the deployment has other clusters, with which this one may share quotas. */
  amongOthers: z.literal(true).optional(),
});

export type PlanRequest = z.infer<typeof planRequestSchema>;
