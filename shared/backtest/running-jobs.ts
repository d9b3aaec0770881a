/** A job that runs, by its place in the queue. */
export interface RunningJob {
  readonly place: number;
  readonly processors: number;
  readonly endSeconds: number;
  /** When it would end by its request: never before it does. */
  readonly estimatedEndSeconds: number;
}

/** Where free processors suffice for a job that waits, as far as requests tell. */
export interface Reservation {
  readonly atSeconds: number;
  /** Processors that stay free beside it then. */
  readonly extra: number;
}

/** Jobs that run on a fleet, in the order of their ends and of their estimated ends. */
export class RunningJobs {
  readonly #byEnd: RunningJob[] = [];
  readonly #byEstimate: RunningJob[] = [];

  get nextEndSeconds(): number {
    return this.#byEnd.at(-1)?.endSeconds ?? Number.POSITIVE_INFINITY;
  }

  start(job: RunningJob): void {
    insert(this.#byEnd, job, byEnd);
    insert(this.#byEstimate, job, byEstimate);
  }

  /** Removes all jobs that end by then; returns the processors they free. */
  end(atSeconds: number): number {
    let freed = 0;
    for (
      let job = this.#byEnd.at(-1);
      job !== undefined && job.endSeconds <= atSeconds;
      job = this.#byEnd.at(-1)
    ) {
      this.#byEnd.pop();
      this.#byEstimate.splice(placeOf(this.#byEstimate, job, byEstimate), 1);
      freed += job.processors;
    }
    return freed;
  }

  /** The earliest estimated end by which so many processors are free; all that end by then count. */
  reserve(processors: number, free: number): Reservation {
    let atSeconds = Number.POSITIVE_INFINITY;
    let then = free;
    for (let index = this.#byEstimate.length - 1; index >= 0; index -= 1) {
      const job = this.#byEstimate[index];
      if (job === undefined) break;
      if (then >= processors && job.estimatedEndSeconds > atSeconds) break;
      then += job.processors;
      atSeconds = job.estimatedEndSeconds;
    }
    return { atSeconds, extra: then - processors };
  }
}

type Order = (a: RunningJob, b: RunningJob) => number;

/** The next one last, where taking it away moves nothing. */
const byEnd: Order = (a, b) => b.endSeconds - a.endSeconds || b.place - a.place;
const byEstimate: Order = (a, b) => b.estimatedEndSeconds - a.estimatedEndSeconds || b.place - a.place;

function insert(jobs: RunningJob[], job: RunningJob, order: Order): void {
  jobs.splice(placeOf(jobs, job, order), 0, job);
}

/** Where a job is, or belongs. */
function placeOf(jobs: readonly RunningJob[], job: RunningJob, order: Order): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = jobs[middle];
    if (other !== undefined && order(other, job) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
