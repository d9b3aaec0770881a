import { counted } from "../../../../shared/text/text.ts";
import type { Service } from "../../service/service.ts";
import type { Panel } from "../panel.ts";
import type { PanelCluster, SchedulerJob } from "../panel-state.ts";

/** A job as the simulated scheduler takes it. Times in simulated seconds. */
export interface LabJob {
  readonly name: string;
  readonly runSeconds: number;
  readonly constraints: Readonly<Record<string, unknown>>;
  /** Tasks. */
  readonly iterations: number;
}

/** What a check looks at: the simulator's own state, and the service's answers. */
interface Seen {
  readonly cluster: PanelCluster;
  readonly service: Service;
}

/** One thing that must be so, and what was seen. */
export interface Finding {
  readonly isMet: boolean;
  readonly text: string;
}

export function finding(isMet: boolean, met: string, open: string): Finding {
  return { isMet, text: isMet ? met : open };
}

export interface Exercise {
  readonly title: string;
  /** The symptoms, without the cause. */
  readonly story: string;
  readonly needs: readonly string[];
  /** Jobs that run before it breaks, and that the service knows to run. */
  readonly before?: readonly LabJob[];
  /** Jobs that are submitted when it is broken. */
  readonly jobs: readonly LabJob[];
  /** What keeps its symptoms away, and what to do about that; undefined: nothing. */
  readonly obstacle?: (
    service: Service,
  ) => Promise<{ readonly what: string; readonly next: string } | undefined>;
  /** Breaks it, after a reset. */
  readonly breakIt: (panel: Panel, cluster: PanelCluster) => Promise<void>;
  /** Whether the service has seen what is broken, before the jobs come; undefined: nothing shows it. */
  readonly isSeen?: (service: Service) => Promise<boolean>;
  readonly hints: readonly string[];
  /** All met: it is resolved. */
  readonly check: (seen: Seen) => Promise<readonly Finding[]>;
}

/** Jobs of an exercise by their names. */
export function jobsOf({ scheduler: { report } }: PanelCluster, { jobs }: Exercise): readonly SchedulerJob[] {
  const names = new Set(jobs.map(({ name }) => name));
  return (report?.jobs ?? []).filter(({ name }) => names.has(name));
}

/** Whether every task of a job runs, or has run. */
export function runs(cluster: PanelCluster, name: string): Finding {
  const job = cluster.scheduler.report?.jobs.find((each) => each.name === name);
  const { waiting = 0, running = 0, done = 0 } = job ?? {};
  const all = waiting + running + done;
  return {
    isMet: job !== undefined && waiting === 0,
    text: `${running + done} of ${counted(all, "tasks")} of ${name} run or are done.`,
  };
}
