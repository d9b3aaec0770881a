import type { Job } from "../driver.ts";
import type { JobContext, LeftOut } from "./common.ts";
import { hostsOfUnreadable, mayHoldNodes, running } from "./running.ts";
import type { JobRecord } from "./slurm-records.ts";
import { waiting } from "./waiting.ts";

/** Nothing that more nodes would help with: limits of accounts, mistakes, people and the future. */
const nodesDoNotHelp =
  /^(JobHeld|BeginTime|Dependency|Assoc|QOS|Invalid|BadConstraints|Licenses|Partition|Reservation|MaxMem|AccountNotAllowed|Job(Launch|Array)|FailedLaunch|Cleaning|BurstBuffer|DeadLine)/i;

/** The demand in a job record: none for what is over, waits for something else, or is not ours; else one job or more. */
export function toJobs(record: JobRecord, context: JobContext): readonly Job[] | LeftOut {
  const { ignore_partitions } = context.settings;
  const partitions = record.partition.split(",").filter((name) => !ignore_partitions.includes(name));
  if (partitions.length === 0) return [];
  if (record.job_state.includes("PENDING")) {
    return isWaitingForNodes(record, partitions, context) ? waiting(record, partitions, context) : [];
  }
  if (!mayHoldNodes(record)) return [];
  const job = running(record, partitions, context);
  if (job !== undefined) return [job];
  return {
    leftOut: `nodes "${record.nodes}", expected a list of nodes`,
    executingHostnames: hostsOfUnreadable(record, context.nodes, context.settings),
  };
}

/**
 * `state_reason` alone does not tell: a job that depends on another one shows "ReqNodeNotAvail" as soon as the
 * scheduler has looked at it (22.05). Only tasks of an array that reached its own limit count as waiting in spite of
 * theirs, and jobs of several partitions, of which one would do.
 */
function isWaitingForNodes(
  record: JobRecord,
  partitions: readonly string[],
  { nowSeconds }: JobContext,
): boolean {
  if (record.hold === true || (record.priority ?? 0) === 0) return false;
  if (record.dependency.includes("unfulfilled") || record.dependency.includes("failed")) return false;
  if ((record.eligible_time ?? 0) > nowSeconds) return false;
  if (partitions.length > 1 && record.state_reason.startsWith("Partition")) return true;
  return !nodesDoNotHelp.test(record.state_reason) || record.state_reason === "JobArrayTaskLimit";
}
