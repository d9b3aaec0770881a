import { Worker } from "node:worker_threads";
import { type JobColumns, packed, type RunFigures } from "../../../shared/backtest/index.ts";
import { runTask, type Setting, type Task } from "./one-run.ts";

/** What a worker says of its task: how far it is, and in the end what came of it. */
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
  watch: Watch,
): Promise<readonly RunFigures[]> {
  const shares = tasks.map(() => 0);
  const done: (RunFigures | undefined)[] = tasks.map(() => undefined);
  const note = (index: number, share: number) => {
    shares[index] = share;
    watch.onProgress(shares.reduce((sum, each) => sum + each, 0) / tasks.length);
  };
  const threads = Math.min(watch.workers, tasks.length);
  if (threads <= 1) await runHere(setting, tasks, { ...watch, note, done });
  else await runInThreads(setting, tasks, { ...watch, workers: threads, note, done });
  return done.filter((figures) => figures !== undefined);
}

interface Books {
  readonly signal: AbortSignal;
  readonly note: (index: number, share: number) => void;
  readonly done: (RunFigures | undefined)[];
}

async function runHere(setting: Setting, tasks: readonly Task[], books: Books): Promise<void> {
  const { signal, note, done } = books;
  for (const [index, task] of tasks.entries()) {
    if (signal.aborted) return;
    try {
      done[index] = await runTask(setting, task, { onProgress: (share) => note(index, share), signal });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    note(index, 1);
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

async function runInThreads(
  setting: Setting,
  tasks: readonly Task[],
  books: Books & { readonly workers: number },
): Promise<void> {
  const queue = tasks.map((task, index) => ({ index, task }));
  const workers = Array.from(
    { length: books.workers },
    () => new Worker(workerFile(), { workerData: toSend(setting) }),
  );
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
  const stopped = new Promise<void>((resolve) => {
    if (books.signal.aborted) resolve();
    books.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    await Promise.race([stopped, Promise.all(workers.map((worker) => work(worker, queue, books)))]);
  } finally {
    await stop();
  }
}

function work(
  worker: Worker,
  queue: { readonly index: number; readonly task: Task }[],
  { note, done }: Books,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      const task = queue.shift();
      if (task === undefined) resolve();
      else worker.postMessage(task);
    };
    worker.on("error", reject);
    worker.on("message", (message: FromWorker) => {
      if ("share" in message) {
        note(message.index, message.share);
        return;
      }
      done[message.index] = message.figures;
      note(message.index, 1);
      next();
    });
    next();
  });
}
