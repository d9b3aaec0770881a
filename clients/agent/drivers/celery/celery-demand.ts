import { cutName, type JobDetails, readJobDetails } from "../../../../shared/messages/index.ts";
import type { Backlog, Job, WaitingMessage } from "../driver.ts";
import { withUniqueNames } from "../job-names.ts";
import type { CelerySettings, Constraints } from "./celery-settings.ts";
import { type CeleryTask, toSeconds } from "./replies.ts";
import { type Headers, type Need, NeedChooser } from "./rules.ts";

/** The most iterations of one job in a demand message. */
const mostIterations = 10_000_000;

/** Everything that is to be done; a task that was seen twice while it moved counts once, where it was furthest. */
export interface CeleryWork {
  readonly active: readonly { readonly task: CeleryTask; readonly hostname: string }[];
  /** Reserved or scheduled by a worker. */
  readonly held: readonly CeleryTask[];
  readonly backlog: Backlog;
}

export interface CeleryDemand {
  readonly jobs: readonly Job[];
  /** What headers decided, for the next time. */
  readonly remembered: ReadonlyMap<string, Constraints>;
}

/** Tasks as jobs: one for each that runs, one for all alike that wait, and one that keeps a reserve up. */
export function celeryDemand(
  work: CeleryWork,
  settings: CelerySettings,
  known: { readonly nowSeconds: number; readonly remembered: ReadonlyMap<string, Constraints> },
): CeleryDemand {
  const chooser = new NeedChooser(settings, known.remembered);
  const latestSeconds = known.nowSeconds + settings.eta_seconds;
  const isDue = (task: CeleryTask) => task.etaSeconds === undefined || task.etaSeconds <= latestSeconds;
  const isOver = ({ expires }: Headers) =>
    (toSeconds(expires) ?? Number.POSITIVE_INFINITY) < known.nowSeconds;
  const isNew = firstTime();
  const headers = headersOfTasks(work.backlog);

  const running = runningTasks(work.active, isNew).map(({ task, hostnames }) => ({
    name: cutName(task.id ?? `a task on ${hostnames[0]}`),
    constraints: chooser.choose(task, headers(task)).constraints,
    ...detailsOf(task, headers(task)),
    ...(hostnames.length > 1 ? { iterations: hostnames.length } : {}),
    executingHostnames: hostnames,
  }));
  const waiting = new Tally();
  for (const task of work.held.filter(isNew).filter(isDue)) {
    waiting.add(chooser.choose(task, headers(task)), { task, headers: headers(task), count: 1 });
  }
  const addMessages = (messages: readonly WaitingMessage[], weight: number) => {
    for (const message of messages) {
      const task = toTask(message);
      if (!isNew(task) || isOver(message.headers) || !isDue(task)) continue;
      const { headers } = message;
      waiting.add(chooser.choose(task, headers), { task, headers, count: weight });
    }
  };
  addMessages(work.backlog.unacknowledged ?? [], 1);
  for (const { name, length, messages } of work.backlog.queues) {
    // What the broker did not show is taken to be like what it showed.
    if (messages.length > 0) addMessages(messages, Math.max(1, length / messages.length));
    else if (length > 0) {
      const any = { queue: name };
      waiting.add(chooser.choose(any, {}), { task: any, headers: {}, count: length });
    }
  }
  const jobs = [...running, ...waiting.jobs()];
  const all = withUniqueNames([...jobs, ...reserveFor(jobs, settings)]);
  return { jobs: all, remembered: chooser.remembered };
}

/** Demand is the larger of the minimum and of what tasks need with the buffer, not the sum of both. */
function reserveFor(jobs: readonly Job[], settings: CelerySettings): readonly Job[] {
  const cores = jobs.reduce((sum, job) => sum + coresOf(job.constraints) * (job.iterations ?? 1), 0);
  const missing = Math.max(cores + settings.warm_buffer, settings.min_core_count) - cores;
  if (missing <= 0) return [];
  const constraints = settings.default_constraints;
  const iterations = Math.ceil(missing / coresOf(constraints));
  // It waits for tasks to come: beside its idle nodes it is no job that Celery would not start.
  return [{ name: "reserve", constraints, iterations, priority: -1, behindOthers: true }];
}

/** A task whose constraints name no cores counts as one. */
function coresOf(constraints: Job["constraints"]): number {
  const named = [constraints].flat().map((each) => Number((each as Readonly<Record<string, unknown>>).ncpus));
  return named.find((cores) => cores > 0) ?? 1;
}

/** A task that was delivered again may run on two hosts, and each of them is busy. */
function runningTasks(active: CeleryWork["active"], isNew: (task: CeleryTask) => boolean) {
  const known = new Map<string, string[]>();
  return active.flatMap(({ task, hostname }) => {
    if (!isNew(task)) {
      known.get(task.id ?? "")?.push(hostname);
      return [];
    }
    const hostnames = [hostname];
    if (task.id !== undefined) known.set(task.id, hostnames);
    return [{ task, hostnames }];
  });
}

/** Tells a task from one that was there before; what has no id always counts. */
function firstTime(): (task: CeleryTask) => boolean {
  const seen = new Set<string>();
  return ({ id }) => {
    if (id === undefined) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  };
}

/** The broker was read before the workers, so it knows the headers of what they hold, if it shows any. */
function headersOfTasks(backlog: Backlog): (task: CeleryTask) => Headers {
  const messages = [...backlog.queues.flatMap((queue) => queue.messages), ...(backlog.unacknowledged ?? [])];
  const byId = new Map(messages.map(({ headers }) => [headers.id, headers]));
  return ({ id }) => byId.get(id) ?? {};
}

/** The message's own hard limit, or its soft one. A limit that the worker or the task's code sets is in no message. */
function detailsOf(task: CeleryTask, { timelimit }: Headers): JobDetails {
  const limits: readonly unknown[] = Array.isArray(timelimit) ? timelimit : [];
  return readJobDetails({
    runtimeSeconds: limits.find((limit) => typeof limit === "number" && limit > 0),
    startedAtSeconds: task.startedAtSeconds,
    queue: task.queue,
    jobName: task.name,
  });
}

interface Waiting {
  readonly task: CeleryTask;
  readonly headers: Headers;
  readonly count: number;
}

/** Waiting tasks, counted by name (or queue) and by what they need. */
class Tally {
  readonly #entries = new Map<
    string,
    { readonly name: string; readonly constraints: Constraints; details: JobDetails; count: number }
  >();

  add({ rule, constraints }: Need, { task, headers, count }: Waiting): void {
    const what = task.name ?? `any task of queue ${task.queue ?? "unknown"}`;
    const name = cutName(`${what} (${rule})`);
    const key = JSON.stringify([name, constraints]);
    const details = detailsOf(task, headers);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { name, constraints, details, count });
      return;
    }
    entry.details = ofBoth(entry.details, details);
    entry.count += count;
  }

  jobs(): Job[] {
    return [...this.#entries.values()].map(({ name, constraints, details, count }) => ({
      name,
      constraints,
      ...details,
      // A share such as 10 * 1.1 is not exact: what is a rounding error above a whole number is that number.
      iterations: Math.min(Math.ceil(count - 1e-6), mostIterations),
    }));
  }
}

/** What holds for all tasks of a job: the longest of their limits, and a queue only if it is the same. */
function ofBoth(one: JobDetails, other: JobDetails): JobDetails {
  const { runtimeSeconds: limit, queue, jobName } = other;
  const before = one.runtimeSeconds;
  return {
    ...(before !== undefined && limit !== undefined ? { runtimeSeconds: Math.max(before, limit) } : {}),
    ...(queue !== undefined && queue === one.queue ? { queue } : {}),
    ...(jobName !== undefined && jobName === one.jobName ? { jobName } : {}),
  };
}

function toTask({ queue, headers }: WaitingMessage): CeleryTask {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return { id: text(headers.id), name: text(headers.task), queue, etaSeconds: toSeconds(headers.eta) };
}
