import type { SchedulerPolicy, TraceJob } from "../../../shared/backtest/index.ts";

/**
 * The same model of a scheduler, written down as simply as it can be said: at every moment at which something may happen,
 * everything is worked out anew. An oracle for small workloads. Returns starts in the order of the jobs.
 */
export function scheduleNaively(
  jobs: readonly TraceJob[],
  { processors, policy }: { readonly processors: number; readonly policy: SchedulerPolicy },
): readonly number[] {
  const starts = new Map<TraceJob, number>();
  const endOf = (job: TraceJob) => (starts.get(job) ?? Number.NaN) + job.runSeconds;
  const estimate = (job: TraceJob) => Math.max(job.runSeconds, job.requestedSeconds ?? 0);
  const estimatedEnd = (job: TraceJob) => (starts.get(job) ?? Number.NaN) + estimate(job);
  let now = Number.NEGATIVE_INFINITY;
  const running = () => [...starts.keys()].filter((job) => endOf(job) > now);
  const taken = () => running().reduce((sum, job) => sum + job.processors, 0);
  const free = () => processors - taken();
  const waiting = () => jobs.filter((job) => job.submitSeconds <= now && !starts.has(job));

  const moments = () =>
    [...jobs.map((job) => job.submitSeconds), ...[...starts.keys()].map(endOf)].filter((at) => at > now);
  while (starts.size < jobs.length) {
    now = Math.min(...moments());
    let head = waiting()[0];
    while (head !== undefined && head.processors <= free()) {
      starts.set(head, now);
      head = waiting()[0];
    }
    if (head === undefined || policy === "fcfs") continue;
    const wanted = head.processors;
    const freeAt = (at: number) =>
      free() + running().reduce((sum, job) => sum + (estimatedEnd(job) <= at ? job.processors : 0), 0);
    const shadow = Math.min(
      ...running()
        .map(estimatedEnd)
        .filter((at) => freeAt(at) >= wanted),
    );
    let extra = freeAt(shadow) - wanted;
    for (const job of waiting().slice(1)) {
      const isOver = now + estimate(job) <= shadow;
      if (job.processors > free() || (!isOver && job.processors > extra)) continue;
      starts.set(job, now);
      if (!isOver) extra -= job.processors;
    }
  }
  return jobs.map((job) => starts.get(job) ?? Number.NaN);
}
