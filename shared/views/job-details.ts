import type { JobView } from "../api/index.ts";
import type { Job } from "../engine/index.ts";
import type { DemandJob } from "../messages/index.ts";
import type { SourceDemand } from "../ports/index.ts";

/** What a source tells of a job for people and for reports, and the planner does not need. */
export type DetailsForPeople = Pick<JobView, "user" | "account" | "queue" | "jobName">;
export type DetailsOf = (job: Pick<Job, "source" | "name">) => DetailsForPeople;

export const noDetails: DetailsForPeople = { user: null, account: null, queue: null, jobName: null };

/** Reads details by source and name. The jobs of a source are indexed when the first of them is asked for. */
export function detailsReader(demand: readonly SourceDemand[]): DetailsOf {
  const bySource = new Map<string, ReadonlyMap<string, DemandJob>>();
  return ({ source, name }) => {
    if (source === null) return noDetails;
    const jobs = bySource.get(source) ?? indexOf(demand, source);
    bySource.set(source, jobs);
    const job = jobs.get(name);
    if (job === undefined) return noDetails;
    const { user = null, account = null, queue = null, jobName = null } = job;
    return { user, account, queue, jobName };
  };
}

function indexOf(demand: readonly SourceDemand[], source: string): ReadonlyMap<string, DemandJob> {
  const jobs = demand.find((each) => each.source === source)?.jobs ?? [];
  return new Map(jobs.map((job) => [job.name, job]));
}
