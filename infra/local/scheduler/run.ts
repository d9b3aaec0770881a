import { setTimeout as sleep } from "node:timers/promises";
import type { Host, HostEvent } from "../../../shared/backtest/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { type CycleCloudAccess, readHosts } from "./client.ts";
import { isMeant, type Orders, type SchedulerReport } from "./orders.ts";
import { type HostState, type Progress, SimulatedScheduler } from "./scheduler.ts";
import { type PostedJob, toDemand } from "./to-demand.ts";
import { toWorkloadJob, type WorkloadJob } from "./workload.ts";

/** Real seconds between two looks at hosts and jobs. */
export const tickSeconds = 0.2;
/** Real seconds between two messages when much happens, and when nothing does. */
export const leastGapSeconds = 0.5;
const usualHeartbeatSeconds = 20;
/** Real seconds between two looks at the events. */
export const eventGapSeconds = 0.5;

export interface SchedulerOptions {
  readonly jobs: readonly WorkloadJob[];
  readonly access: CycleCloudAccess;
  /** The simulated clock, in seconds; the same that CycleCloud's nodes live by. */
  readonly simulatedSeconds: () => number;
  /** Simulated seconds per real second: messages have run times in real seconds, as the service lives in real time. */
  readonly speed: number;
  /** Real seconds between two messages when nothing happens; 20 when left out. */
  readonly heartbeatSeconds?: number;
  /** Sends a whole snapshot of what is wanted. */
  readonly post: (snapshot: {
    readonly sequence: number;
    readonly jobs: readonly PostedJob[];
    readonly nodes: readonly HostState[];
  }) => Promise<void>;
  /** Says how far it is, and gets what it is asked to do. Absent: it takes no orders. */
  readonly takeOrders?: (report: Omit<SchedulerReport, "source">) => Promise<Orders>;
  /** Hands over the events that have come since. */
  readonly takeEvents: (obey: (event: HostEvent) => void) => Promise<void>;
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

/** Runs the workload against the cluster until it is stopped; goes on reporting an empty queue when all is done. */
export function runScheduler(options: SchedulerOptions): RunningScheduler {
  const { heartbeatSeconds = usualHeartbeatSeconds } = options;
  const scheduler = new SimulatedScheduler(options.jobs);
  const posts: Post[] = [];
  const startSeconds = options.simulatedSeconds();
  let trouble: string | undefined;
  let running = true;
  let sequence = Math.floor(Date.now() / 1000);
  let eventsAtSeconds = 0;
  let unposted = { changed: true, newJobs: 0 };
  let takenOrder = 0;
  let lastHosts: readonly Host[] | undefined;

  /** Carries out what it is asked to do. Returns whether it may post. */
  const obeyOrders = async (): Promise<boolean> => {
    if (options.takeOrders === undefined) return true;
    const report = { takenOrder, progress: scheduler.progress(), jobs: [...scheduler.followed] };
    const { isSilent, orders } = await options.takeOrders(report);
    for (const order of orders) {
      if (order.kind === "submit")
        scheduler.submit(order.jobs.map(toWorkloadJob), options.simulatedSeconds() - startSeconds);
      else if (scheduler.cancel((name) => order.names.some((named) => isMeant(named, name))))
        unposted.changed = true;
      takenOrder = order.number;
    }
    return !isSilent;
  };

  /** Returns what went wrong although it could go on. */
  const tick = async ({ isLast = false } = {}): Promise<string | undefined> => {
    const read = await readHosts(options.access).catch(messageOf);
    // What runs on its hosts goes on while CycleCloud is down. Before it knows any, it cannot begin.
    const hosts = typeof read === "string" ? lastHosts : read;
    if (hosts === undefined) throw new Error(String(read));
    lastHosts = hosts;
    const mayPost = await obeyOrders();
    if (mayPost && Date.now() / 1000 - eventsAtSeconds >= eventGapSeconds) {
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
    // Its jobs go on when the agent beside it does not.
    if (!mayPost) return troubleOf(read);
    const sinceSeconds = Date.now() / 1000 - (posts.at(-1)?.atSeconds ?? 0);
    if (!isLast && sinceSeconds < (unposted.changed ? leastGapSeconds : heartbeatSeconds))
      return troubleOf(read);
    sequence += 1;
    await options.post({ sequence, jobs: toDemand(scheduler, options.speed), nodes: scheduler.hostStates });
    posts.push({ atSeconds: Date.now() / 1000, newJobs: unposted.newJobs });
    unposted = { changed: false, newJobs: 0 };
    return troubleOf(read);
  };

  const isDone = () => scheduler.progress().done === scheduler.progress().total;
  const attempt = async (which?: { readonly isLast: boolean }) => {
    try {
      trouble = await tick(which);
    } catch (error) {
      // A real scheduler outlives its cloud: say so, and try again.
      trouble = messageOf(error);
    }
  };
  const loop = (async () => {
    while (running) {
      await attempt();
      await sleep(tickSeconds * 1000);
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

/** The reason why hosts could not be read; undefined: they were. */
function troubleOf(read: string | readonly Host[]): string | undefined {
  return typeof read === "string" ? read : undefined;
}
