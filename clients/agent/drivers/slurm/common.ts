import { type JobDetails, readJobDetails } from "../../../../shared/messages/index.ts";
import type { Job } from "../driver.ts";
import type { JobRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** A job that is no demand because what it asks for is not understood, or cannot be ordered; for the log. */
export interface LeftOut {
  readonly leftOut: string;
  /** Where it runs all the same. */
  readonly executingHostnames?: readonly string[];
}

/** The end of the year 9999: what is later is no time. */
const latestSeconds = 253_402_300_799;

export function orderOf(record: JobRecord): Pick<Job, "priority" | "submittedAt"> {
  const submittedAt = isoTime(record.submit_time);
  return { priority: priorityOf(record), ...(submittedAt === undefined ? {} : { submittedAt }) };
}

/** More than any priority that Slurm gives (32 bits). */
const beforeAll = 2 ** 32;

/** A job of `--requeue=expedite` (25.11) that was put back comes before all others, whatever its priority. */
export function priorityOf({ priority = 0, job_state }: JobRecord): number {
  return job_state.includes("EXPEDITING") ? beforeAll : priority;
}

/** It waits for nodes. One that is put back with `--requeue=expedite` has its old ones, which take no other job, while they are listed. */
export function isPending({ job_state, nodes }: JobRecord): boolean {
  return job_state.includes("PENDING") && !(job_state.includes("EXPEDITING") && nodes !== "");
}

/** Unix time as Slurm prints it; undefined: none, or not a time. */
export function isoTime(seconds = 0): string | undefined {
  return seconds > 0 && seconds <= latestSeconds ? new Date(seconds * 1000).toISOString() : undefined;
}

/** The largest number of minutes; the two above it stand for "unlimited" and "not set" in older shapes. */
const mostMinutes = 0xff_ff_ff_fd;

/** Undefined for a job without a time limit. */
export function minutesOf({ time_limit: minutes = 0 }: JobRecord): number | undefined {
  return minutes > 0 && minutes <= mostMinutes ? minutes : undefined;
}

/**
 * What else is known of a job. No limit is no run time. A job that Slurm must not start again after the loss of a node
 * cannot be interrupted; of the others their users have said nothing.
 */
export function detailsOf(
  record: JobRecord,
  partitions: readonly string[],
  { isRunning }: { readonly isRunning: boolean },
): JobDetails {
  const minutes = minutesOf(record);
  const { start_time, requeue, user_name, account, name } = record;
  return readJobDetails({
    ...(minutes === undefined ? {} : { runtimeSeconds: minutes * 60 }),
    // Of a job that waits it is Slurm's forecast.
    ...(isRunning && (start_time ?? 0) > 0 ? { startedAtSeconds: start_time } : {}),
    ...(requeue === false ? { interruptible: false } : {}),
    user: user_name,
    account,
    queue: partitions.join(","),
    jobName: name,
  });
}

export function nameOf(record: JobRecord): string {
  const { job_id, array_job_id, array_task_id, het_job_id, het_job_offset } = record;
  if (array_job_id && array_task_id !== undefined) return `${array_job_id}_${array_task_id}`;
  return het_job_id ? `${het_job_id}+${het_job_offset ?? 0}` : String(job_id);
}

/** Slurm's word for a job that shares no node: by its own wish (`topo`: not even a switch), its partition's, or because none is shared (`select/linear`). */
export function asksForWholeNodes({ shared, exclusive }: JobRecord): boolean {
  return ["NONE", "EXCLUSIVE", "TRUE", "TOPO"].some(
    (word) => shared.includes(word) || exclusive.includes(word),
  );
}

export function isColocated(
  record: JobRecord,
  partitions: readonly string[],
  {
    settings,
    switches,
  }: { readonly settings: SlurmSettings; readonly switches: ReadonlyMap<number, number> },
): boolean {
  const asked = record.required_switches ?? switches.get(record.job_id) ?? 0;
  return asked === 1 || partitions.every((name) => settings.partitions[name]?.colocated === true);
}

/** CycleCloud's name of a node that Slurm calls by it, behind a prefix. */
export function cycleCloudName(name: string, { node_prefix }: SlurmSettings): string {
  return name.startsWith(node_prefix) ? name.slice(node_prefix.length) : name;
}
