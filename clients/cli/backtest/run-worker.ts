import { parentPort, workerData } from "node:worker_threads";
import { PackedJobs } from "../../../shared/backtest/index.ts";
import { runTask, type Setting, type Task } from "./one-run.ts";
import type { FromWorker, SentSetting } from "./run-tasks.ts";

/** A thread that runs one task after the other. */
const { workload, ...rest } = workerData as SentSetting;
const setting: Setting = { ...rest, workload: { ...workload, jobs: new PackedJobs(workload.jobs) } };

parentPort?.on("message", async ({ index, task }: { readonly index: number; readonly task: Task }) => {
  const figures = await runTask(setting, task, {
    onProgress: (share) => parentPort?.postMessage({ index, share } satisfies FromWorker),
  });
  // Columns of a million jobs are handed over, not copied.
  const { waitSeconds, nanoUsd } = figures.perJob;
  parentPort?.postMessage({ index, figures } satisfies FromWorker, [waitSeconds.buffer, nanoUsd.buffer]);
});
