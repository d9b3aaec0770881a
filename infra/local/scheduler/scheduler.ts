import {
  type Allocation,
  Drains,
  emptyHost,
  findHosts,
  give,
  type Host,
  type HostEvent,
  type JobShape,
  type Left,
  take,
} from "../../../shared/backtest/index.ts";
import type { WorkloadJob } from "./workload.ts";

/** Something that runs now: one slot of a job, or a multi-node job on all its hosts. */
interface Task {
  readonly job: WorkloadJob;
  readonly index: number;
  readonly hostnames: readonly string[];
  readonly allocation: Allocation;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Where and when a task ran, in seconds of the scheduler's clock. */
interface TaskRun {
  readonly hostnames: readonly string[];
  readonly submitSeconds: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

interface QueuedJob {
  readonly job: WorkloadJob;
  /** Slots, or 1 for a multi-node job, that have not started; a task whose host vanished is queued again. */
  waiting: number;
  started: number;
}

export interface Progress {
  /** Tasks (slots and multi-node jobs), of the whole workload. */
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Not submitted yet. */
  readonly later: number;
  /** Tasks that started again because their host vanished under them. */
  readonly requeued: number;
}

/** One job, in tasks. */
export interface JobProgress {
  readonly name: string;
  /** Those that are to be submitted later, too. */
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** How often a task lost its host. */
  readonly lost: number;
}

/**
 * `draining`: takes no new tasks, and still runs some. `eventAtSeconds`: time of the event that the state obeys; absent, with a
 * reason: a health check took the host out.
 */
export interface HostState {
  readonly hostname: string;
  readonly state: "up" | "draining" | "drained";
  readonly eventAtSeconds?: number;
  readonly stateReason?: string;
}

/**
 * A batch scheduler with a virtual clock: first come, first served, with whatever fits going ahead. It knows nothing of
 * CycleCloud; hosts come and go, and it says what it wants.
 */
export class SimulatedScheduler {
  readonly #later: WorkloadJob[];
  readonly #queue: QueuedJob[] = [];
  readonly #hosts = new Map<string, Left>();
  readonly #drains = new Drains();
  /** Why health checks took hosts out of service, by host name. */
  readonly #unhealthy = new Map<string, string>();
  /** Tasks that ended, or lost their host, of jobs that were submitted while it ran; by name. */
  readonly #followed = new Map<string, { done: number; lost: number }>();
  readonly #runs: TaskRun[] = [];
  #isRefused: (name: string) => boolean = () => false;
  #total: number;
  #tasks: Task[] = [];
  #done = 0;
  #requeued = 0;

  constructor(jobs: readonly WorkloadJob[]) {
    this.#later = [...jobs].sort((left, right) => left.submitSeconds - right.submitSeconds);
    this.#total = jobs.reduce((total, job) => total + tasksOf(job), 0);
  }

  /** Moves on to `nowSeconds` with the hosts that are there then. Tells whether what it wants has changed. */
  step(
    nowSeconds: number,
    hosts: readonly Host[],
  ): { readonly changed: boolean; readonly submitted: number } {
    const ended = this.#endTasks(nowSeconds);
    const gone = this.#update(hosts);
    for (const hostname of gone) {
      this.#drains.forget(hostname);
      this.#unhealthy.delete(hostname);
    }
    const lost = this.#loseTasks(gone);
    const submitted = this.#submit(nowSeconds);
    const started = this.#start(nowSeconds);
    return { changed: ended + lost + submitted + started > 0, submitted };
  }

  /** Takes more jobs; their submit times count from `nowSeconds`. */
  submit(jobs: readonly WorkloadJob[], nowSeconds: number): void {
    for (const job of jobs) {
      this.#followed.set(job.name, { done: 0, lost: 0 });
      this.#later.push({ ...job, submitSeconds: nowSeconds + job.submitSeconds });
    }
    this.#later.sort((left, right) => left.submitSeconds - right.submitSeconds);
    this.#total += jobs.reduce((total, job) => total + tasksOf(job), 0);
  }

  /** Drops jobs, those that run too: their hosts are free at once. Tells whether there were any. */
  cancel(isMeant: (name: string) => boolean): boolean {
    const before = this.#open;
    const [gone, kept] = divide(this.#tasks, ({ job }) => isMeant(job.name));
    for (const { allocation } of gone) give(allocation);
    this.#tasks = kept;
    this.#queue.splice(0, this.#queue.length, ...this.#queue.filter(({ job }) => !isMeant(job.name)));
    this.#later.splice(0, this.#later.length, ...this.#later.filter(({ name }) => !isMeant(name)));
    for (const name of [...this.#followed.keys()]) if (isMeant(name)) this.#followed.delete(name);
    this.#total -= before - this.#open;
    return this.#open < before;
  }

  /** Starts none of these jobs from now on, whatever room there is, and wants nodes for them nevertheless. */
  refuse(isMeant: (name: string) => boolean): void {
    this.#isRefused = isMeant;
  }

  /** How far the jobs are that were submitted while it ran, in tasks. */
  get followed(): readonly JobProgress[] {
    return [...this.#followed].map(([name, { done, lost }]) => {
      const queued = this.#queue.find(({ job }) => job.name === name);
      const later = this.#later.find((job) => job.name === name);
      const waiting = (queued?.waiting ?? 0) + (later === undefined ? 0 : tasksOf(later));
      return {
        name,
        waiting,
        running: this.#tasks.filter(({ job }) => job.name === name).length,
        done,
        lost,
      };
    });
  }

  /** Tasks that are not done. */
  get #open(): number {
    const { waiting, running, later } = this.progress();
    return waiting + running + later;
  }

  /** Drains hosts or takes them back; what runs on them goes on. Tells whether what it reports of them has changed. */
  obey(event: HostEvent): boolean {
    return this.#drains.obey(event, (hostname) => this.#hosts.has(hostname)).length > 0;
  }

  /** A health check takes a host out of service, whatever runs there; null: it is well. */
  check(hostname: string, why: string | null): void {
    if (why === null) this.#unhealthy.delete(hostname);
    else this.#unhealthy.set(hostname, why);
  }

  /** What it says of its hosts. */
  get hostStates(): readonly HostState[] {
    const busy = new Set(this.#tasks.flatMap((task) => task.hostnames));
    return [...this.#hosts.keys()].map((hostname) => {
      const isBusy = busy.has(hostname);
      const stateReason = this.#unhealthy.get(hostname);
      if (stateReason === undefined) return { hostname, ...this.#drains.stateOf(hostname, { isBusy }) };
      return { hostname, state: isBusy ? "draining" : "drained", stateReason };
    });
  }

  progress(): Progress {
    const waiting = this.#queue.reduce((total, queued) => total + queued.waiting, 0);
    const later = this.#later.reduce((total, job) => total + tasksOf(job), 0);
    const running = this.#tasks.length;
    return { total: this.#total, waiting, running, done: this.#done, later, requeued: this.#requeued };
  }

  get waitingJobs(): readonly { readonly job: WorkloadJob; readonly waiting: number }[] {
    return this.#queue;
  }

  get runningTasks(): readonly Pick<Task, "job" | "index" | "hostnames">[] {
    return this.#tasks;
  }

  /** Every task that ended, in the order of the ends. */
  get runs(): readonly TaskRun[] {
    return this.#runs;
  }

  /** Takes note of the hosts that are there now; returns the names of those that are gone. */
  #update(hosts: readonly Host[]): readonly string[] {
    const present = new Set(hosts.map(({ hostname }) => hostname));
    const gone = [...this.#hosts.keys()].filter((hostname) => !present.has(hostname));
    for (const hostname of gone) this.#hosts.delete(hostname);
    for (const host of hosts)
      if (!this.#hosts.has(host.hostname)) this.#hosts.set(host.hostname, emptyHost(host));
    return gone;
  }

  #endTasks(nowSeconds: number): number {
    const ended = this.#tasks.filter((task) => task.endSeconds <= nowSeconds);
    if (ended.length === 0) return 0;
    this.#tasks = this.#tasks.filter((task) => task.endSeconds > nowSeconds);
    for (const { job, hostnames, allocation, startSeconds, endSeconds } of ended) {
      give(allocation);
      this.#runs.push({ hostnames, submitSeconds: job.submitSeconds, startSeconds, endSeconds });
    }
    this.#done += ended.length;
    for (const { job } of ended) this.#note(job.name, "done");
    return ended.length;
  }

  #loseTasks(gone: readonly string[]): number {
    if (gone.length === 0) return 0;
    const vanished = new Set(gone);
    const isLost = (task: Task) => task.hostnames.some((hostname) => vanished.has(hostname));
    const lost = this.#tasks.filter(isLost);
    this.#tasks = this.#tasks.filter((task) => !isLost(task));
    for (const task of lost) {
      give(task.allocation);
      this.#requeue(task.job);
      this.#note(task.job.name, "lost");
    }
    this.#requeued += lost.length;
    return lost.length;
  }

  #note(name: string, what: "done" | "lost"): void {
    const counts = this.#followed.get(name);
    if (counts !== undefined) counts[what] += 1;
  }

  #requeue(job: WorkloadJob): void {
    const queued = this.#queue.find((each) => each.job === job);
    if (queued === undefined) this.#queue.unshift({ job, waiting: 1, started: tasksOf(job) });
    else queued.waiting += 1;
  }

  #submit(nowSeconds: number): number {
    const due = this.#later.findIndex((job) => job.submitSeconds > nowSeconds);
    const submitted = this.#later.splice(0, due === -1 ? this.#later.length : due);
    this.#queue.push(...submitted.map((job) => ({ job, waiting: tasksOf(job), started: 0 })));
    return submitted.length;
  }

  #start(nowSeconds: number): number {
    let started = 0;
    for (const queued of this.#queue)
      if (!this.#isRefused(queued.job.name)) started += this.#startJob(queued, nowSeconds);
    if (started > 0)
      this.#queue.splice(0, this.#queue.length, ...this.#queue.filter((each) => each.waiting > 0));
    return started;
  }

  #startJob(queued: QueuedJob, nowSeconds: number): number {
    const shape = shapeOfTask(queued.job);
    const hosts = this.#openHosts;
    let started = 0;
    for (; queued.waiting > 0; started += 1) {
      const allocation = findHosts(hosts, shape);
      if (allocation === undefined) break;
      this.#run(queued, allocation, nowSeconds);
    }
    return started;
  }

  get #openHosts(): readonly Left[] {
    return [...this.#hosts.values()].filter(
      ({ host }) => !this.#drains.isOut(host.hostname) && !this.#unhealthy.has(host.hostname),
    );
  }

  #run(queued: QueuedJob, allocation: Allocation, nowSeconds: number): void {
    const { job } = queued;
    const hostnames = allocation.parts.map(({ left }) => left.host.hostname);
    take(allocation);
    const endSeconds = nowSeconds + job.runSeconds;
    this.#tasks.push({
      job,
      index: queued.started,
      hostnames,
      allocation,
      startSeconds: nowSeconds,
      endSeconds,
    });
    queued.started += 1;
    queued.waiting -= 1;
  }
}

/** One slot, or all nodes of a multi-node job. */
function shapeOfTask({ shape, need }: WorkloadJob): Omit<JobShape, "key"> {
  const { ngpus: gpus, exclusive, nodeArrays, ...amounts } = need;
  return {
    kind: shape.kind,
    count: shape.kind === "nodes" ? shape.nodes : 1,
    colocated: shape.kind === "nodes" && shape.colocated,
    need: { ...amounts, gpus, exclusive: exclusive ? "part" : "none" },
    nodeArrays,
  };
}

function divide<T>(all: readonly T[], isFirst: (each: T) => boolean): readonly [first: T[], others: T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

function tasksOf(job: WorkloadJob): number {
  return job.shape.kind === "slots" ? job.shape.slots : 1;
}
