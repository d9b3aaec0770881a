import type { ArchivedPlan } from "../../ports/index.ts";
import type { SimulatedNode } from "../../simulated-cyclecloud/index.ts";
import type { Running } from "../queue/reservation.ts";

/** For those who look at single nodes, jobs and plans. */
export interface RunWatch {
  /** The node is gone; its timetable has all of its life. */
  readonly gone: (node: SimulatedNode) => void;
  /** A run of a job came to its end. */
  readonly ran: (run: JobRun) => void;
  readonly planned: (plan: ArchivedPlan) => void;
}

/** Where and when a job ran, on the virtual clock. */
export interface JobRun {
  readonly hostnames: readonly string[];
  readonly submitSeconds: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function jobRunOf(
  { allocation, startSeconds }: Running,
  { submitSeconds, endSeconds }: Pick<JobRun, "submitSeconds" | "endSeconds">,
): JobRun {
  const hostnames = allocation.parts.map(({ left }) => left.host.hostname);
  return { hostnames, submitSeconds, startSeconds, endSeconds };
}
