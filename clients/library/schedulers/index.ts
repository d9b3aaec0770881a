/**
 * `cyclecloud-autoscale/schedulers`: the contract between the agent and a scheduler, and the agent itself. docs/schedulers.md writes a
 * driver. The agent alone needs `@azure/storage-queue` and `@azure/storage-blob`; a driver needs neither.
 */
export { shortHostname } from "../../../shared/engine/index.ts";
export { type JobDetails, readJobDetails } from "../../../shared/messages/index.ts";
export { readBacklog } from "../../agent/drivers/backlog.ts";
export type * from "../../agent/drivers/driver.ts";
export {
  fieldOf,
  type ReadRecord,
  type RecordList,
  type RecordReader,
  readRecord,
  readRecords,
} from "../../agent/drivers/records.ts";
export type { Credential, StorageAccount } from "../storage-account.ts";
export { type AgentOptions, runAgent } from "./run-agent.ts";
