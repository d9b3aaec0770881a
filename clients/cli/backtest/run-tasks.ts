import { Worker } from "node:worker_threads";
import { type JobColumns, packed, type RunFigures } from "../../../shared/backtest/index.ts";
import { CommandFailure } from "../exit-code.ts";
import { runTask, type Setting, type Task } from "./one-run.ts";

/** A worker's message: its progress, and at the end its result. */
export type FromWorker = { readonly index: number } & (
  | { readonly share: number }
  | { readonly figures: RunFigures }
);

interface Watch {
  readonly workers: number;
  /** Called with the share of all tasks that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Tasks that are not over by then are left out. */
  readonly signal: AbortSignal;
}

/** Runs tasks, several at a time. Returns what was finished, in the order of the tasks. */
export async function runTasks(
  setting: Setting,
  tasks: readonly Task[],
  { workers, signal, onProgress }: Watch,
): Promise<readonly RunFigures[]> {
  const threads = new RunThreads(setting, { workers, signal });
  try {
    const done = await threads.run(tasks, onProgress);
    return done.filter((figures) => figures !== undefined);
  } finally {
    await threads.close();
  }
}

/** A setting as threads get it: they share the columns of its jobs. */
export type SentSetting = Omit<Setting, "workload"> & {
  readonly workload: Omit<Setting["workload"], "jobs"> & { readonly jobs: JobColumns };
};

function toSend(setting: Setting): SentSetting {
  const { jobs, ...workload } = setting.workload;
  return { ...setting, workload: { ...workload, jobs: packed(jobs).columns } };
}

/** The same from here and from the build, where a worker's file lies in a folder beside all parts. */
function workerFile(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "./run-worker.ts" : "./backtest/run-worker.js", here);
}

/** Each thread would let its heap grow as if it were alone: four took 1.6 GB, with these limits 0.6 GB. A run needs a tenth. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 1_024 };

interface Books {
  readonly note: (index: number, share: number) => void;
  readonly done: (RunFigures | undefined)[];
}

/** Threads for the runs of one setting, which are started when they are needed and stay until they are closed. */
export class RunThreads {
  readonly #setting: Setting;
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #isBesideOthers: boolean;
  readonly #workers: Worker[] = [];

  constructor(
    setting: Setting,
    {
      workers,
      signal,
      isBesideOthers = false,
    }: Pick<Watch, "workers" | "signal"> & {
      /** A single task leaves this thread to others, if there may be more than one. */
      readonly isBesideOthers?: boolean;
    },
  ) {
    this.#setting = setting;
    this.#most = workers;
    this.#signal = signal;
    this.#isBesideOthers = isBesideOthers;
  }

  /** The result of each task; undefined: it was stopped. A single task runs in this thread, unless others do. */
  async run(
    tasks: readonly Task[],
    onProgress: (share: number) => void,
  ): Promise<readonly (RunFigures | undefined)[]> {
    const shares = tasks.map(() => 0);
    const done: (RunFigures | undefined)[] = tasks.map(() => undefined);
    const note = (index: number, share: number) => {
      shares[index] = share;
      onProgress(shares.reduce((sum, each) => sum + each, 0) / tasks.length);
    };
    const threads = Math.min(this.#most, tasks.length);
    if (this.#most === 1 || threads < (this.#isBesideOthers ? 1 : 2))
      await this.#runHere(tasks, { note, done });
    else await this.#runInThreads(tasks, { note, done, threads });
    return done;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  async #runHere(tasks: readonly Task[], { note, done }: Books): Promise<void> {
    const signal = this.#signal;
    for (const [index, task] of tasks.entries()) {
      if (signal.aborted) return;
      try {
        const onProgress = (share: number) => note(index, share);
        done[index] = await runTask(this.#setting, task, { onProgress, signal });
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      note(index, 1);
    }
  }

  async #runInThreads(
    tasks: readonly Task[],
    { threads, ...books }: Books & { readonly threads: number },
  ): Promise<void> {
    const queue = tasks.map((task, index) => ({ index, task }));
    const workerData = toSend(this.#setting);
    while (this.#workers.length < threads)
      this.#workers.push(new Worker(workerFile(), { workerData, resourceLimits }));
    const workers = this.#workers.slice(0, threads);
    const stopping = new AbortController();
    const stopped = new Promise<void>((resolve) => {
      if (this.#signal.aborted) resolve();
      const once = { once: true, signal: stopping.signal };
      this.#signal.addEventListener("abort", () => resolve(), once);
    });
    try {
      await Promise.race([stopped, Promise.all(workers.map((worker) => work(worker, queue, books)))]);
    } finally {
      stopping.abort();
    }
  }
}

/** Gives a thread one task after the other, until none is left. */
async function work(
  worker: Worker,
  queue: { readonly index: number; readonly task: Task }[],
  { note, done }: Books,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const next = () => {
    const task = queue.shift();
    if (task === undefined) resolve();
    else worker.postMessage(task);
  };
  const hear = (message: FromWorker) => {
    if ("share" in message) {
      note(message.index, message.share);
      return;
    }
    done[message.index] = message.figures;
    note(message.index, 1);
    next();
  };
  const fail = (error: NodeJS.ErrnoException) =>
    reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? outOfMemory() : error);
  worker.on("error", fail);
  worker.on("message", hear);
  next();
  try {
    await promise;
  } finally {
    worker.off("error", fail);
    worker.off("message", hear);
  }
}

function outOfMemory(): CommandFailure {
  return new CommandFailure(
    `Cannot run the back-test in a thread: a run needs more than ${resourceLimits.maxOldGenerationSizeMb} MB`,
    'Give "--workers 1": then it may take what Node.js allows the process.',
  );
}
