import { type JobDetails, readJobDetails } from "../../../../shared/messages/index.ts";
import type { Job } from "../driver.ts";
import { amountOf } from "./amounts.ts";
import type { JobRecord } from "./queue-records.ts";

/** `17`, a task `17.3`, or the tasks of an array that wait `17.*`. */
export function nameOf({ id, tasks }: JobRecord, { waits }: { readonly waits: boolean }): string {
  if (tasks === "") return id;
  return waits ? `${id}.*` : `${id}.${tasks}`;
}

/** qstat is run with `TZ=UTC`. */
function secondsOf(time: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(time)) return undefined;
  const milliseconds = Date.parse(`${time.slice(0, 19)}Z`);
  return milliseconds > 0 ? Math.floor(milliseconds / 1000) : undefined;
}

/** What else is known of a job. No limit (`-l h_rt`) is no run time. */
export function detailsOf(
  record: JobRecord,
  { queue }: { readonly queue: string },
): JobDetails & Pick<Job, "priority" | "submittedAt"> {
  const { owner, project, jobName, priority } = record;
  const submitted = secondsOf(record.submitted);
  const started = secondsOf(record.started);
  const limits = record.requests
    .filter(({ name }) => name === "h_rt" || name === "s_rt")
    .flatMap(({ value }) => amountOf(value) ?? []);
  const runtime = Math.min(...limits);
  return {
    ...(Number.isFinite(priority) ? { priority } : {}),
    ...(submitted === undefined ? {} : { submittedAt: new Date(submitted * 1000).toISOString() }),
    ...readJobDetails({
      ...(Number.isFinite(runtime) && runtime > 0 ? { runtimeSeconds: runtime } : {}),
      ...(started === undefined ? {} : { startedAtSeconds: started }),
      user: owner || undefined,
      account: project || undefined,
      queue: queue || undefined,
      jobName: jobName || undefined,
    }),
  };
}
