import type { Levels } from "../figures/columns.ts";

/** Processors at this moment: those that jobs wait for, those that jobs use, and those of all nodes. */
export class Load {
  waitingProcessors = 0;
  runningProcessors = 0;
  nodeProcessors = 0;

  levels(waitingJobs: number): Levels {
    const { waitingProcessors, runningProcessors, nodeProcessors } = this;
    return { waitingJobs, waitingProcessors, runningProcessors, nodeProcessors };
  }
}
