import { shortHostname } from "../../engine/index.ts";
import type { DemandJob, DemandNode } from "../../messages/job-demand.ts";
import type { SetAside } from "../../messages/set-aside.ts";
import type { DemandSetAside, SourceDemand } from "../../ports/index.ts";

/**
 * For so long a silent source's running jobs count after its time to live: its scheduler host may be down while the jobs
 * run on, and nobody can tell. It must not be for ever. An empty snapshot of the source ends it at once.
 */
export const longestSilenceSeconds = 86_400;

/** Jobs that count now, of one source. */
export interface PresentDemand {
  readonly source: string;
  readonly jobs: readonly DemandJob[];
  /** True: they stand for jobs that did not check out, on the hosts where those run. They want nothing else. */
  readonly standIns: boolean;
}

/** What is wanted now: of live sources all, of silent ones the jobs that run, each as large as its hosts. */
export function presentDemand(demand: readonly SourceDemand[], nowSeconds: number): readonly PresentDemand[] {
  return demand.flatMap(({ source, jobs, setAside, expiresAtSeconds }): PresentDemand[] => {
    if (expiresAtSeconds + longestSilenceSeconds <= nowSeconds) return [];
    const isLive = expiresAtSeconds > nowSeconds;
    const counting = { source, jobs: isLive ? jobs : jobs.flatMap(runningPart), standIns: false };
    if (setAside === undefined) return [counting];
    return [counting, { source, jobs: standInsOf(setAside), standIns: true }];
  });
}

/** The same list for the same demand, as `knownJobs` goes by the list. */
const knownStandIns = new WeakMap<DemandSetAside, readonly DemandJob[]>();

function standInsOf(setAside: DemandSetAside): readonly DemandJob[] {
  const known = knownStandIns.get(setAside);
  if (known !== undefined) return known;
  const jobs = setAside.items.flatMap(standIn);
  knownStandIns.set(setAside, jobs);
  return jobs;
}

/** A job that runs, as far as it can be read: it has its hosts, and waits for no more. */
function standIn({ index, name, running }: SetAside): DemandJob[] {
  if (running === undefined || running.hostnames.length === 0) return [];
  const { hostnames, constraints } = running;
  return [
    {
      name: name ?? `(job ${index}, set aside)`,
      constraints: constraints ?? [],
      iterations: hostnames.length,
      nodeCount: 0,
      colocated: false,
      // What it uses there is not known, so nothing else is planned there.
      exclusive: constraints === undefined,
      executingHostnames: [...hostnames],
      priority: 0,
    },
  ];
}

function runningPart(job: DemandJob): DemandJob[] {
  const hosts = job.executingHostnames.length;
  if (hosts === 0) return [];
  return [job.nodeCount > 0 ? { ...job, nodeCount: hosts } : { ...job, iterations: hosts }];
}

/** Host names on which something runs, or may still run, by short name. */
export function busyHostnames(demand: readonly SourceDemand[], nowSeconds: number): ReadonlySet<string> {
  return new Set(
    presentDemand(demand, nowSeconds).flatMap(({ jobs }) =>
      jobs.flatMap((job) => job.executingHostnames.map(shortHostname)),
    ),
  );
}

export function liveSources(demand: readonly SourceDemand[], nowSeconds: number): readonly SourceDemand[] {
  return demand.filter((source) => source.expiresAtSeconds > nowSeconds);
}

/**
 * Out, and by none of our events: for a broken disk, say, and nobody knows for how long. One that is out by an event may be
 * taken back by another, when a job could use it.
 */
export function isOutByItself({ state = "up", eventAtSeconds }: DemandNode): boolean {
  return state !== "up" && eventAtSeconds === undefined;
}
