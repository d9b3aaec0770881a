import type { SimulatedScheduler } from "./scheduler.ts";
import type { WorkloadJob } from "./workload.ts";

/** A job as a demand message has it. */
export interface PostedJob {
  readonly name: string;
  readonly constraints: Readonly<Record<string, unknown>>;
  readonly iterations?: number;
  readonly nodeCount?: number;
  readonly colocated?: boolean;
  readonly executingHostnames?: readonly string[];
  /** Real seconds: the service lives in real time. */
  readonly runtimeSeconds?: number;
}

/**
 * What a scheduler reports: its running tasks with the hosts they run on, then its queue. With a `speed`, simulated seconds
 * per real second, it shows how long jobs run.
 */
export function toDemand(scheduler: SimulatedScheduler, speed?: number): PostedJob[] {
  const posted = (job: WorkloadJob, count: number): PostedJob => ({
    ...wanted(job, count),
    ...(speed === undefined ? {} : { runtimeSeconds: Math.max(1, Math.ceil(job.runSeconds / speed)) }),
  });
  const running = scheduler.runningTasks.map(({ job, index, hostnames }) => ({
    ...posted(job, 1),
    name: taskName(job, index),
    executingHostnames: hostnames,
  }));
  const waiting = scheduler.waitingJobs.map(({ job, waiting: count }) => posted(job, count));
  return [...running, ...waiting];
}

function taskName(job: WorkloadJob, index: number): string {
  return job.shape.kind === "slots" && job.shape.slots > 1 ? `${job.name}[${index}]` : job.name;
}

function wanted(job: WorkloadJob, count: number): PostedJob {
  const { ncpus, memoryGiB, ngpus, exclusive, nodeArrays } = job.need;
  const constraints = {
    ncpus,
    ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}),
    ...(ngpus > 0 ? { ngpus } : {}),
    ...(exclusive ? { exclusive } : {}),
    ...(nodeArrays.length > 0 ? { "node.nodearray": nodeArrays } : {}),
  };
  return job.shape.kind === "nodes"
    ? { name: job.name, constraints, nodeCount: job.shape.nodes, colocated: job.shape.colocated }
    : { name: job.name, constraints, iterations: count };
}
