import TinyQueue from "tinyqueue";

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
  readonly #byEnd = new TinyQueue<RunningJob>([], (a, b) => a.endSeconds - b.endSeconds || a.place - b.place);
  /** The next one last, where taking it away moves nothing. */
  readonly #byEstimate: RunningJob[] = [];

  get nextEndSeconds(): number {
    return this.#byEnd.peek()?.endSeconds ?? Number.POSITIVE_INFINITY;
  }

  start(job: RunningJob): void {
    this.#byEnd.push(job);
    this.#byEstimate.splice(placeOf(this.#byEstimate, job), 0, job);
  }

  /** Removes all jobs that end by then; returns the processors they free. */
  end(atSeconds: number): number {
    let freed = 0;
    for (let job = this.#byEnd.peek(); job && job.endSeconds <= atSeconds; job = this.#byEnd.peek()) {
      this.#byEnd.pop();
      this.#byEstimate.splice(placeOf(this.#byEstimate, job), 1);
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

/** Where a job is, or belongs. */
function placeOf(jobs: readonly RunningJob[], job: RunningJob): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = jobs[middle];
    if (other !== undefined && isLater(other, job)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isLater(a: RunningJob, b: RunningJob): boolean {
  const laterBy = a.estimatedEndSeconds - b.estimatedEndSeconds || a.place - b.place;
  return laterBy > 0;
}
