/**
 * `cyclecloud-autoscale/messages`: what schedulers and the service send each other, as zod schemas and JSON Schema, and a sender
 * for the queue. The sender alone needs `@azure/storage-queue` and `@azure/storage-blob`.
 */
export {
  type DemandJob,
  type DemandMessage,
  type DemandNode,
  type DemandRefused,
  demandVersion,
  type JobDetails,
  mostJobs,
  mostNodes,
  type Parsed,
  parseDemand,
  parseTargets,
  readJobDetails,
  type SchedulerEvent,
  type SetAside,
  type SourceEvent,
  schedulerEventSchema,
  type TargetsMessage,
  wholly,
} from "../../../shared/messages/index.ts";
export type { Job as SchedulerJob, SchedulerNode } from "../../agent/drivers/driver.ts";
export type { ConstraintJson } from "../engine/constraints.ts";
export type { JobJson } from "../engine/job.ts";
export type { Credential, StorageAccount } from "../storage-account.ts";
export { DemandSender, type DemandSenderOptions, type HostJson, type Sent } from "./demand-sender.ts";
