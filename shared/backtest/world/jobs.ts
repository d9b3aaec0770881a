import { defined } from "../../collections/defined.ts";
import { type Constraint, defineJob, type Job, parseConstraints } from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import { type JobShape, Shapes } from "../queue/job-shape.ts";
import type { TraceJob, TraceJobs } from "../trace-job.ts";
import { hasOwnNames } from "../workload/names.ts";

/** The jobs of a workload, by their places in the queue, in the words of the model and of demand messages. */
export class Jobs {
  readonly #jobs: TraceJobs;
  readonly #shapes = new Shapes();
  readonly #constraints = new Map<JobShape, object>();
  readonly #hasOwnNames: boolean;
  /** Those that wait or run: a job is put together once, and dropped when it is over. */
  readonly #live = new Map<number, LiveJob>();
  readonly #submitSeconds: Float64Array;

  constructor(jobs: TraceJobs) {
    this.#jobs = jobs;
    this.#hasOwnNames = hasOwnNames(jobs);
    this.#submitSeconds = new Float64Array(jobs.length);
    let place = 0;
    for (const { submitSeconds } of jobs) this.#submitSeconds[place++] = submitSeconds;
  }

  get count(): number {
    return this.#jobs.length;
  }

  at(place: number): TraceJob {
    return this.#liveJob(place).job;
  }

  /** The job is over and not read again. */
  forget(place: number): void {
    this.#live.delete(place);
  }

  #liveJob(place: number): LiveJob {
    const liveJob = this.#live.get(place);
    if (liveJob !== undefined) return liveJob;
    const job = this.#jobs.at(place);
    if (job === undefined) throw new RangeError(`Cannot find job ${place}: ${this.#jobs.length} jobs`);
    const live = { job, shape: this.#shapes.of(job) };
    this.#live.set(place, live);
    return live;
  }

  /** Undefined behind the last. */
  submitSeconds(place: number): number | undefined {
    return this.#submitSeconds[place];
  }

  shape(place: number): JobShape {
    return this.#liveJob(place).shape;
  }

  /** What a scheduler knows: the request, and never less than the job runs. */
  estimateSeconds(place: number): number {
    const { requestedSeconds, runSeconds } = this.at(place);
    return Math.max(requestedSeconds ?? runSeconds, runSeconds);
  }

  /** No two jobs of a source have the same. */
  name(place: number): string {
    const { name } = this.at(place);
    return this.#hasOwnNames ? name : `${name}#${place + 1}`;
  }

  /** A job that waits. */
  waiting(place: number): DemandJob {
    const { requestedSeconds, user, account, queue, jobName } = this.at(place);
    const shape = this.shape(place);
    return {
      name: this.name(place),
      constraints: this.#constraintsOf(shape),
      iterations: shape.kind === "slots" ? shape.count : 1,
      nodeCount: shape.kind === "nodes" ? shape.count : 0,
      colocated: shape.colocated,
      // All parts start at once, as real schedulers start them.
      ...(shape.kind === "slots" && shape.count > 1 ? { gangSize: shape.count } : {}),
      exclusive: shape.need.exclusive === "part",
      executingHostnames: [],
      priority: 0,
      ...defined({ runtimeSeconds: requestedSeconds ?? undefined, user, account, queue, jobName }),
    };
  }

  /** One that runs, on these hosts: a host for each of its slots or nodes. */
  running(place: number, hostnames: string[], startedAtSeconds: number): DemandJob {
    return { ...this.waiting(place), executingHostnames: hostnames, startedAtSeconds };
  }

  /** As the planner reads it. */
  planned(place: number): Job {
    const { name, constraints, iterations, nodeCount, colocated, gangSize, exclusive } = this.waiting(place);
    return defineJob({
      name,
      iterations,
      nodeCount,
      colocated,
      gangSize,
      exclusive,
      constraints: readConstraints(constraints),
    });
  }

  constraints(shape: JobShape): readonly Constraint[] {
    return readConstraints(this.#constraintsOf(shape));
  }

  /** Jobs of one shape share their constraints, which are then read once. */
  #constraintsOf(shape: JobShape): object {
    const knownConstraints = this.#constraints.get(shape);
    if (knownConstraints !== undefined) return knownConstraints;
    const { need, nodeArrays } = shape;
    const constraints = {
      ncpus: need.ncpus,
      ...(need.memoryGiB > 0 ? { memgb: need.memoryGiB } : {}),
      ...(need.gpus > 0 ? { ngpus: need.gpus } : {}),
      ...(need.exclusive === "job" ? { "exclusive-task": true } : {}),
      ...(nodeArrays.length > 0 ? { "node.nodearray": [...nodeArrays] } : {}),
    };
    this.#constraints.set(shape, constraints);
    return constraints;
  }
}

interface LiveJob {
  readonly job: TraceJob;
  readonly shape: JobShape;
}

function readConstraints(value: unknown): readonly Constraint[] {
  const parsed = parseConstraints(value);
  if (!parsed.ok) throw new TypeError(`Cannot read constraints: ${parsed.problems[0]?.message}`);
  return parsed.constraints;
}
