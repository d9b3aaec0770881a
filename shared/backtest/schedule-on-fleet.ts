import { RunningJobs } from "./running-jobs.ts";
import type { TraceJob, TraceJobs } from "./trace-job.ts";
import { WaitingJobs } from "./waiting-jobs.ts";
import { chosen, type JobColumns, type PackedJobs, packed } from "./workload/job-columns.ts";

/**
 * Models of a scheduler. `fcfs`: first come, first served; a job that does not fit blocks all behind it. `easy`: the same,
 * and jobs behind the blocked one start if that does not delay it, as far as requested times tell.
 */
export type SchedulerPolicy = "fcfs" | "easy";

export const schedulerPolicies: readonly SchedulerPolicy[] = ["fcfs", "easy"];

/** When a job runs on a fleet. */
export interface ScheduledJob {
  readonly job: TraceJob;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface FleetSchedule {
  /** In the order of the queue; made one at a time, because there may be millions. */
  readonly scheduled: Iterable<ScheduledJob>;
  /** Jobs that need more processors than the fleet has: they never run, and block nobody. */
  readonly tooLarge: TraceJobs;
}

/**
 * Runs jobs, given in queue order, on a fleet of identical processors. A model of a scheduler, not one: a job runs exactly
 * as long as it did, is never cut, moved or stopped. Something happens only when a job ends or is submitted: first all
 * ends of a moment, then all submissions, then one pass of the scheduler.
 */
export function scheduleOnFleet(
  jobs: TraceJobs,
  fleet: { readonly processors: number; readonly policy: SchedulerPolicy },
): FleetSchedule {
  const fits = (job: TraceJob) => job.processors <= fleet.processors;
  const tooLarge = chosen(jobs, (job) => !fits(job));
  const queued = tooLarge.length === 0 ? packed(jobs) : chosen(jobs, fits);
  const run = new FleetRun(queued, fleet);
  run.toTheEnd();
  return { scheduled: { [Symbol.iterator]: () => scheduledIn(queued, run) }, tooLarge };
}

function* scheduledIn(queued: TraceJobs, run: FleetRun): Generator<ScheduledJob, undefined> {
  let place = 0;
  for (const job of queued) {
    const startSeconds = run.startOf(place++);
    yield { job, startSeconds, endSeconds: startSeconds + job.runSeconds };
  }
  return undefined;
}

/** The fields of a job that the model reads. */
interface FleetJob {
  readonly processors: number;
  readonly runSeconds: number;
  /** Requested run time, never less than the actual one. Without a request: the actual run time. */
  readonly estimateSeconds: number;
}

class FleetRun {
  readonly #policy: SchedulerPolicy;
  readonly #jobs: JobColumns;
  readonly #starts: Float64Array;
  readonly #running = new RunningJobs();
  readonly #waiting: WaitingJobs;
  /** Place of the first job that has not started. */
  #head = 0;
  #submitted = 0;
  #free: number;

  constructor(
    jobs: PackedJobs,
    { processors, policy }: { readonly processors: number; readonly policy: SchedulerPolicy },
  ) {
    this.#policy = policy;
    this.#free = processors;
    this.#jobs = jobs.columns;
    this.#starts = new Float64Array(jobs.length);
    this.#waiting = new WaitingJobs(jobs.length);
  }

  startOf(place: number): number {
    return this.#starts[place] ?? Number.NaN;
  }

  toTheEnd(): void {
    for (;;) {
      const nowSeconds = Math.min(this.#nextSubmitSeconds, this.#running.nextEndSeconds);
      if (nowSeconds === Number.POSITIVE_INFINITY) return;
      this.#free += this.#running.end(nowSeconds);
      this.#submit(nowSeconds);
      this.#pass(nowSeconds);
    }
  }

  get #nextSubmitSeconds(): number {
    return this.#jobs.submitSeconds[this.#submitted] ?? Number.POSITIVE_INFINITY;
  }

  #submit(nowSeconds: number): void {
    while (this.#nextSubmitSeconds <= nowSeconds) {
      this.#waiting.add(this.#submitted, this.#jobAt(this.#submitted));
      this.#submitted += 1;
    }
  }

  #jobAt(place: number): FleetJob {
    const { kinds, kind, runSeconds: runs, requestedSeconds: requests } = this.#jobs;
    const runSeconds = runs[place] ?? 0;
    // NaN: not known.
    const requestedSeconds = requests[place] || 0;
    return {
      processors: kinds[kind[place] ?? 0]?.processors ?? 0,
      runSeconds,
      estimateSeconds: Math.max(requestedSeconds, runSeconds),
    };
  }

  #pass(nowSeconds: number): void {
    for (let head = this.#nextHead(); head !== undefined; head = this.#nextHead()) {
      if (head.processors > this.#free) {
        if (this.#policy === "easy") this.#backfill(head, nowSeconds);
        return;
      }
      this.#start(this.#head, head, nowSeconds);
    }
  }

  /** The first job that waits; undefined: none does. */
  #nextHead(): FleetJob | undefined {
    while (this.#head < this.#submitted && !this.#waiting.has(this.#head)) this.#head += 1;
    return this.#head < this.#submitted ? this.#jobAt(this.#head) : undefined;
  }

  /** Jobs behind the first one, each looked at once: those that do not delay it start. */
  #backfill(head: FleetJob, nowSeconds: number): void {
    const { atSeconds, extra } = this.#running.reserve(head.processors, this.#free);
    const seconds = atSeconds - nowSeconds;
    let left = extra;
    const next = (place: number) => this.#waiting.nextFor({ free: this.#free, extra: left, seconds }, place);
    for (let place = next(this.#head + 1); place !== undefined; place = next(place + 1)) {
      const job = this.#jobAt(place);
      if (job.estimateSeconds > seconds) left -= job.processors;
      this.#start(place, job, nowSeconds);
    }
  }

  #start(place: number, job: FleetJob, nowSeconds: number): void {
    this.#waiting.remove(place);
    this.#starts[place] = nowSeconds;
    this.#free -= job.processors;
    this.#running.start({
      place,
      processors: job.processors,
      endSeconds: nowSeconds + job.runSeconds,
      estimatedEndSeconds: nowSeconds + job.estimateSeconds,
    });
  }
}
