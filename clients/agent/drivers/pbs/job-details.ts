import { type JobDetails, readJobDetails } from "../../../../shared/messages/index.ts";
import type { Job } from "../driver.ts";
import type { JobContext, NodeSharing } from "./job-context.ts";
import type { JobRecord } from "./pbs-records.ts";
import { secondsIn } from "./pbs-resources.ts";
import type { Place } from "./select.ts";

/** PBS's name of a job without the server's: `17`, `17[4]`, `17[]`. */
export function nameOf({ id }: Pick<JobRecord, "id">): string {
  return id.split(".")[0] ?? id;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Unix time of `Tue Nov 24 00:08:29 2026`, which PBS prints in the zone that it was asked in: UTC. */
function secondsOf(text: string): number | undefined {
  const match = /^\w{3} (\w{3}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text);
  const month = months.indexOf(match?.[1] ?? "");
  if (match === null || month === -1) return undefined;
  const [day = 0, hour = 0, minute = 0, second = 0, year = 0] = match.slice(2).map(Number);
  return Date.UTC(year, month, day, hour, minute, second) / 1000;
}

/** PBS starts jobs queue by queue. The priority of a job itself counts only where the scheduler is told to sort by it. */
export function orderOf(
  { qtime, Priority, queue }: JobRecord,
  { queuePriorities, sortsByPriority }: Pick<JobContext, "queuePriorities" | "sortsByPriority">,
): Pick<Job, "priority" | "submittedAt"> {
  const submitted = secondsOf(qtime);
  const ofJob = sortsByPriority && /^-?\d{1,4}$/.test(Priority) ? Number(Priority) : 0;
  return {
    priority: (queuePriorities.get(queue) ?? 0) + ofJob,
    ...(submitted === undefined ? {} : { submittedAt: new Date(submitted * 1000).toISOString() }),
  };
}

const noProject = "_pbs_project_default";

/** A soft limit is what its user expects. A job that PBS must not start again cannot be interrupted. */
export function detailsOf(record: JobRecord, { isRunning }: { readonly isRunning: boolean }): JobDetails {
  const { Resource_List: asked } = record;
  const [seconds] = ["soft_walltime", "walltime", "max_walltime"].flatMap(
    (name) => secondsIn(asked.get(name) ?? "") ?? [],
  );
  const account = record.Account_Name || (record.project === noProject ? "" : record.project);
  const given = (text: string) => (text === "" ? undefined : text.slice(0, 256));
  return readJobDetails({
    runtimeSeconds: seconds,
    startedAtSeconds: isRunning ? secondsOf(record.stime) : undefined,
    interruptible: /^(?:false|n)$/i.test(record.Rerunable) ? false : undefined,
    user: given(record.euser || (record.Job_Owner.split("@")[0] ?? "")),
    account: given(account),
    queue: given(record.queue),
    jobName: given(record.Job_Name),
  });
}

/** Whether it shares its hosts with no other job. */
export function hasWholeNodes({ sharing }: Place, nodes: NodeSharing): boolean {
  switch (nodes) {
    case "always-exclusive":
      return true;
    case "never-exclusive":
      return false;
    case "exclusive-unless-asked":
      return sharing !== "shared";
    case "as-asked":
      return sharing === "excl" || sharing === "exclhost";
  }
}
