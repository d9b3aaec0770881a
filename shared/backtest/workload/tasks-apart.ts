import type { TraceJob, TraceJobs, Workload } from "../trace-job.ts";
import { JobPacking, type PackedJobs, packed } from "./job-columns.ts";

/** The tasks of array jobs as jobs of their own, `render[3]`: each waits and starts by itself. */
export function withTasksApart(jobs: TraceJobs): PackedJobs {
  if (!hasArrays(jobs)) return packed(jobs);
  const packing = new JobPacking();
  for (const job of jobs) for (const task of tasksOf(job)) packing.add(task);
  return packing.inOrder();
}

/** The same workload on a cluster on which no two jobs share a node (Slurm's `OverSubscribe=EXCLUSIVE`). */
export function onWholeNodes<Given extends Workload>(workload: Given): Given & { readonly jobs: PackedJobs } {
  const packing = new JobPacking();
  for (const job of workload.jobs) packing.add({ ...job, wholeNodes: true });
  return { ...workload, jobs: packing.inOrder(), wholeNodes: true };
}

function hasArrays(jobs: TraceJobs): boolean {
  for (const { tasks = 1 } of jobs) if (tasks > 1) return true;
  return false;
}

function tasksOf(job: TraceJob): readonly TraceJob[] {
  const { tasks = 1, memoryGiB, gpus, ...rest } = job;
  if (tasks <= 1) return [job];
  const task = {
    ...rest,
    tasks: 1,
    nodes: 1,
    processors: Math.ceil(job.processors / tasks),
    ...(memoryGiB === undefined ? {} : { memoryGiB: memoryGiB / tasks }),
    ...(gpus === undefined ? {} : { gpus: gpus / tasks }),
  };
  return Array.from({ length: tasks }, (_, index) => ({ ...task, name: `${job.name}[${index}]` }));
}
