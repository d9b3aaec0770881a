import { RunningJobs } from "./running-jobs.ts";
import type { TraceJob } from "./trace-job.ts";
import { WaitingJobs } from "./waiting-jobs.ts";

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
  /** In the order of the queue. */
  readonly scheduled: readonly ScheduledJob[];
  /** Jobs that need more processors than the fleet has: they never run, and block nobody. */
  readonly tooLarge: readonly TraceJob[];
}

/**
 * Runs jobs, given in queue order, on a fleet of identical processors. A model of a scheduler, not one: a job runs exactly
 * as long as it did, is never cut, moved or stopped. Something happens only when a job ends or is submitted: first all
 * ends of a moment, then all submissions, then one pass of the scheduler.
 */
export function scheduleOnFleet(
  jobs: readonly TraceJob[],
  fleet: { readonly processors: number; readonly policy: SchedulerPolicy },
): FleetSchedule {
  const fits = (job: TraceJob) => job.processors <= fleet.processors;
  const queued = jobs.filter(fits);
  const run = new FleetRun(queued, fleet);
  run.toTheEnd();
  return {
    scheduled: queued.map((job, place) => {
      const startSeconds = run.startOf(place);
      return { job, startSeconds, endSeconds: startSeconds + job.runSeconds };
    }),
    tooLarge: jobs.filter((job) => !fits(job)),
  };
}

class FleetRun {
  readonly #jobs: readonly TraceJob[];
  readonly #policy: SchedulerPolicy;
  readonly #starts: Float64Array;
  readonly #running = new RunningJobs();
  readonly #waiting: WaitingJobs;
  /** Place of the first job that has not started. */
  #head = 0;
  #submitted = 0;
  #free: number;

  constructor(
    jobs: readonly TraceJob[],
    { processors, policy }: { readonly processors: number; readonly policy: SchedulerPolicy },
  ) {
    this.#jobs = jobs;
    this.#policy = policy;
    this.#free = processors;
    this.#starts = new Float64Array(jobs.length);
    this.#waiting = new WaitingJobs(jobs.length);
  }

  startOf(place: number): number {
    return this.#starts[place] ?? Number.NaN;
  }

  toTheEnd(): void {
    for (;;) {
      const submitSeconds = this.#jobs[this.#submitted]?.submitSeconds ?? Number.POSITIVE_INFINITY;
      const nowSeconds = Math.min(submitSeconds, this.#running.nextEndSeconds);
      if (nowSeconds === Number.POSITIVE_INFINITY) return;
      this.#free += this.#running.end(nowSeconds);
      this.#submit(nowSeconds);
      this.#pass(nowSeconds);
    }
  }

  #submit(nowSeconds: number): void {
    for (
      let job = this.#jobs[this.#submitted];
      job !== undefined && job.submitSeconds <= nowSeconds;
      job = this.#jobs[this.#submitted]
    ) {
      this.#waiting.add(this.#submitted, {
        processors: job.processors,
        estimateSeconds: estimateOf(job),
      });
      this.#submitted += 1;
    }
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
  #nextHead(): TraceJob | undefined {
    while (this.#head < this.#submitted && !this.#waiting.has(this.#head)) this.#head += 1;
    return this.#head < this.#submitted ? this.#jobs[this.#head] : undefined;
  }

  /** Jobs behind the first one, each looked at once: those that do not delay it start. */
  #backfill(head: TraceJob, nowSeconds: number): void {
    const { atSeconds, extra } = this.#running.reserve(head.processors, this.#free);
    const seconds = atSeconds - nowSeconds;
    let left = extra;
    const next = (place: number) => this.#waiting.nextFor({ free: this.#free, extra: left, seconds }, place);
    for (let place = next(this.#head + 1); place !== undefined; place = next(place + 1)) {
      const job = this.#jobs[place];
      if (job === undefined) return;
      if (estimateOf(job) > seconds) left -= job.processors;
      this.#start(place, job, nowSeconds);
    }
  }

  #start(place: number, job: TraceJob, nowSeconds: number): void {
    this.#waiting.remove(place);
    this.#starts[place] = nowSeconds;
    this.#free -= job.processors;
    this.#running.start({
      place,
      processors: job.processors,
      endSeconds: nowSeconds + job.runSeconds,
      estimatedEndSeconds: nowSeconds + estimateOf(job),
    });
  }
}

/** What the scheduler is told: the request, and never less than the job runs. Without a request: its run time. */
function estimateOf({ requestedSeconds, runSeconds }: TraceJob): number {
  return Math.max(requestedSeconds ?? runSeconds, runSeconds);
}
