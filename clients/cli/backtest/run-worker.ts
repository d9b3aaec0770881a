import { parentPort, workerData } from "node:worker_threads";
import { runTask, type Setting, type Task } from "./one-run.ts";
import type { FromWorker } from "./run-tasks.ts";

/** A thread that runs one task after the other. */
const setting = workerData as Setting;

function tell(message: FromWorker): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", async ({ index, task }: { readonly index: number; readonly task: Task }) => {
  const figures = await runTask(setting, task, { onProgress: (share) => tell({ index, share }) });
  tell({ index, figures });
});
