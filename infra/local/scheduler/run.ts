import { setTimeout as sleep } from "node:timers/promises";
import { type CycleCloudAccess, readHosts } from "./client.ts";
import type { NodeEvent } from "./drains.ts";
import { type HostState, type Progress, SimulatedScheduler } from "./scheduler.ts";
import { type PostedJob, toDemand } from "./to-demand.ts";
import type { WorkloadJob } from "./workload.ts";

const tickMilliseconds = 200;
/** Real seconds between two messages when much happens, and when nothing does. */
const leastGapSeconds = 0.5;
const heartbeatSeconds = 20;
const eventGapSeconds = 0.5;

export interface SchedulerOptions {
  readonly jobs: readonly WorkloadJob[];
  readonly access: CycleCloudAccess;
  /** The simulated clock, in seconds; the same that CycleCloud's nodes live by. */
  readonly simulatedSeconds: () => number;
  /** Simulated seconds per real second: messages have run times in real seconds, as the service lives in real time. */
  readonly speed: number;
  /** Sends a whole snapshot of what is wanted. */
  readonly post: (snapshot: {
    readonly sequence: number;
    readonly jobs: readonly PostedJob[];
    readonly nodes: readonly HostState[];
  }) => Promise<void>;
  /** Hands over the events that have come since. */
  readonly takeEvents: (obey: (event: NodeEvent) => void) => Promise<void>;
}

/** When a message went out, in real Unix seconds, and how many jobs it named for the first time. */
export interface Post {
  readonly atSeconds: number;
  readonly newJobs: number;
}

export interface RunningScheduler {
  progress(): Progress;
  /** Every message so far. */
  readonly posts: readonly Post[];
  /** The last trouble with reading hosts or posting demand; undefined when all is well. */
  trouble(): string | undefined;
  /** When all is done, it says so once more. */
  stop(): Promise<void>;
}

/** Runs the workload against the cluster until it is told to stop; goes on reporting an empty queue when all is done. */
export function runScheduler(options: SchedulerOptions): RunningScheduler {
  const scheduler = new SimulatedScheduler(options.jobs);
  const posts: Post[] = [];
  const startSeconds = options.simulatedSeconds();
  let trouble: string | undefined;
  let running = true;
  let sequence = Math.floor(Date.now() / 1000);
  let eventsAtSeconds = 0;
  let unposted = { changed: true, newJobs: 0 };

  const tick = async ({ isLast = false } = {}) => {
    const hosts = await readHosts(options.access);
    if (Date.now() / 1000 - eventsAtSeconds >= eventGapSeconds) {
      await options.takeEvents((event) => {
        unposted.changed = scheduler.obey(event) || unposted.changed;
      });
      eventsAtSeconds = Date.now() / 1000;
    }
    const step = scheduler.step(options.simulatedSeconds() - startSeconds, hosts);
    unposted = {
      changed: unposted.changed || step.changed,
      newJobs: unposted.newJobs + step.submitted,
    };
    const sinceSeconds = Date.now() / 1000 - (posts.at(-1)?.atSeconds ?? 0);
    if (!isLast && sinceSeconds < (unposted.changed ? leastGapSeconds : heartbeatSeconds)) return;
    sequence += 1;
    await options.post({ sequence, jobs: toDemand(scheduler, options.speed), nodes: scheduler.hostStates });
    posts.push({ atSeconds: Date.now() / 1000, newJobs: unposted.newJobs });
    unposted = { changed: false, newJobs: 0 };
  };

  const isDone = () => scheduler.progress().done === scheduler.progress().total;
  const attempt = async (which?: { readonly isLast: boolean }) => {
    try {
      await tick(which);
      trouble = undefined;
    } catch (error) {
      // A real scheduler outlives its cloud: say so, and try again.
      trouble = error instanceof Error ? error.message : String(error);
    }
  };
  const loop = (async () => {
    while (running) {
      await attempt();
      await sleep(tickMilliseconds);
    }
  })();
  return {
    progress: () => scheduler.progress(),
    posts,
    trouble: () => trouble,
    stop: async () => {
      running = false;
      await loop;
      // Its last word counts on: hosts that have gone since must not be in it, or new nodes of their names would be drained.
      if (isDone()) await attempt({ isLast: true });
    },
  };
}
