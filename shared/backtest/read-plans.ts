import type { Job, PlanInput } from "../engine/index.ts";
import { type DemandNeed, needOf } from "./job-of-demand.ts";
import { LeftOutRecords, runTimeProblem, type Workload } from "./trace-job.ts";
import { JobPacking } from "./workload/job-columns.ts";

/** The part of an archived plan that a workload is made of. */
export type SeenPlan = Pick<PlanInput, "nowSeconds" | "jobs">;

interface RunningTask {
  /** None for a job over several nodes, which runs as a whole. */
  readonly host: string;
  /** Null: before the first plan. */
  readonly start: number | null;
}

interface SeenJob {
  readonly name: string;
  readonly submitSeconds: number;
  readonly requestedSeconds: number | null;
  readonly need: DemandNeed;
  readonly hasTasks: boolean;
  /** What runs, the oldest first. */
  running: readonly RunningTask[];
  ended: number;
}

/**
 * Makes a workload of a cluster's archived plans, given in the order of their times: each has all jobs that waited or ran then. A
 * job starts when its scheduler says it did, else with the first plan in which it runs, and ends with the first in which it does
 * not: so its times are exact to the time between two plans. Tasks of an array are told apart by their hosts; of those on one host
 * the first to start is taken to end first. What was not seen from its start to its end is counted and left out.
 */
export class PlansWorkload {
  readonly #jobs = new JobPacking();
  readonly #leftOut = new LeftOutRecords();
  readonly #remarks = new LeftOutRecords();
  readonly #seen = new Map<string, SeenJob>();
  #plans = 0;

  see({ nowSeconds, jobs }: SeenPlan): void {
    const now = new Set<string>();
    for (const job of jobs) {
      const key = JSON.stringify([job.source, job.name]);
      now.add(key);
      const seen = this.#seen.get(key) ?? this.#begin(key, job, nowSeconds);
      this.#follow(seen, job, nowSeconds);
    }
    for (const [key, seen] of this.#seen) {
      if (now.has(key)) continue;
      if (seen.running.length === 0 && seen.ended === 0)
        this.#leftOut.add("it was gone before any plan saw it run", seen.name);
      this.#end(seen, seen.running, nowSeconds);
      this.#seen.delete(key);
    }
    this.#plans += 1;
  }

  workload(): Workload {
    for (const { name, running, ended } of this.#seen.values()) {
      if (running.length > 0) this.#leftOut.add("it still runs when the archive ends", name);
      else if (ended === 0) this.#leftOut.add("it still waits when the archive ends", name);
    }
    this.#seen.clear();
    return {
      jobs: this.#jobs.inOrder(),
      leftOut: this.#leftOut.list(),
      remarks: this.#remarks.list(),
    };
  }

  #begin(key: string, job: Job, nowSeconds: number): SeenJob {
    const need = needOf(job);
    if (need.isLess)
      this.#remarks.add("it asks for more than a workload can say; that is passed over", job.name);
    const seen: SeenJob = {
      name: job.name,
      submitSeconds: job.submittedAtSeconds ?? nowSeconds,
      requestedSeconds: job.runtimeSeconds,
      need,
      hasTasks: job.nodeCount === 0 && job.iterations > 1,
      running: [],
      ended: 0,
    };
    this.#seen.set(key, seen);
    return seen;
  }

  /** Tasks are told apart by their hosts. */
  #follow(seen: SeenJob, job: Job, nowSeconds: number): void {
    const { executingHostnames } = job;
    const left = seen.hasTasks ? [...executingHostnames] : executingHostnames.slice(0, 1).map(() => "");
    const ended: RunningTask[] = [];
    const stays: RunningTask[] = [];
    for (const task of seen.running) {
      const index = left.indexOf(task.host);
      if (index >= 0) left.splice(index, 1);
      (index >= 0 ? stays : ended).push(task);
    }
    this.#end(seen, ended, nowSeconds);
    // For an array it is the start of the first task.
    const told = seen.hasTasks ? null : job.startedAtSeconds;
    const start = told ?? (this.#plans === 0 ? null : nowSeconds);
    seen.running = [...stays, ...left.map((host) => ({ host, start }))];
  }

  #end(seen: SeenJob, tasks: readonly RunningTask[], nowSeconds: number): void {
    for (const { start } of tasks) {
      seen.ended += 1;
      const name = seen.hasTasks ? `${seen.name}.${seen.ended}` : seen.name;
      if (start === null) {
        this.#leftOut.add("it ran already when the archive begins", name);
        continue;
      }
      const runSeconds = nowSeconds - start;
      const problem = runTimeProblem(runSeconds);
      if (problem !== undefined) this.#leftOut.add(problem, name);
      else {
        const { isLess: _, ...need } = seen.need;
        const { requestedSeconds } = seen;
        const submitSeconds = Math.min(seen.submitSeconds, start);
        this.#jobs.add({ name, submitSeconds, runSeconds, requestedSeconds, ...need });
      }
    }
  }
}
