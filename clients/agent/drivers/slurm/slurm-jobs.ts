import type { Job } from "../driver.ts";
import type { LeftOut } from "./common.ts";
import type { JobContext } from "./job-context.ts";
import { isPowerSavingPartition } from "./power-saving.ts";
import { type Help, helpWith } from "./reasons.ts";
import { hostsOfUnreadable, mayHoldNodes, running } from "./running.ts";
import type { JobRecord } from "./slurm-records.ts";
import { waiting } from "./waiting.ts";

/** The demand in a job record: none for what is over, waits for something else, or is not ours; else one job or more. */
export function toJobs(record: JobRecord, context: JobContext): readonly Job[] | LeftOut {
  const { ignore_partitions } = context.settings;
  const partitions = record.partition.split(",").filter((name) => !ignore_partitions.includes(name));
  if (partitions.length === 0) return [];
  const getsNodesByName = partitions.some((name) => isPowerSavingPartition(name, context.settings));
  if (getsNodesByName && record.job_state.includes("PENDING")) return [];
  if (record.job_state.includes("PENDING")) {
    const help = helpOf(record, partitions, context);
    if (help === undefined)
      return {
        leftOut: `reason "${record.state_reason}" is not known: nothing is bought before Slurm has another`,
      };
    return help === "may-help" ? waiting(record, partitions, context) : [];
  }
  if (!mayHoldNodes(record)) return [];
  const job = running(record, partitions, context);
  // Without a host it waits for those that Slurm has asked for.
  if (job !== undefined) return getsNodesByName && job.executingHostnames === undefined ? [] : [job];
  return {
    leftOut: `nodes "${record.nodes}", expected a list of nodes`,
    executingHostnames: hostsOfUnreadable(record, context.nodes, context.settings),
  };
}

/**
 * Whether nodes would help. `state_reason` alone does not tell: a job that depends on another one shows "ReqNodeNotAvail" as
 * soon as the scheduler has looked at it (22.05). With several partitions the reason is of one, and another may do.
 */
function helpOf(
  record: JobRecord,
  partitions: readonly string[],
  { nowSeconds }: JobContext,
): Help | undefined {
  if (record.hold === true || (record.priority ?? 0) === 0) return "does-not-help";
  if (record.dependency.includes("unfulfilled") || record.dependency.includes("failed"))
    return "does-not-help";
  if ((record.eligible_time ?? 0) > nowSeconds) return "does-not-help";
  if (partitions.length > 1 && record.state_reason.startsWith("Partition")) return "may-help";
  return helpWith(record.state_reason, record.state_description);
}
