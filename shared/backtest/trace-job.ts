/** A job of a recorded workload. Times in seconds, on the workload's own clock. */
export interface TraceJob {
  /** The number or name that the workload has for it. */
  readonly name: string;
  readonly submitSeconds: number;
  /** Above 0. */
  readonly runSeconds: number;
  /** What its user asked for; null: not known. */
  readonly requestedSeconds: number | null;
  /** A whole number, 1 or more. */
  readonly processors: number;
  /** Whole nodes or parts of them that it runs on at once, with equal parts of what it needs. Absent: not known. */
  readonly nodes?: number;
  /** Tasks that start each by itself, with equal parts of what it needs. Absent: all of it starts at once. */
  readonly tasks?: number;
  /** Memory of all its nodes together. Absent: not known. */
  readonly memoryGiB?: number;
  /** GPUs of all its nodes together. */
  readonly gpus?: number;
  /** Its nodes run nothing else. */
  readonly exclusive?: boolean;
  /** No other job runs on its nodes; as many of its parts as fit share one. What Slurm calls exclusive. */
  readonly wholeNodes?: boolean;
  /** Its nodes are in one placement group. */
  readonly colocated?: boolean;
  /** It runs on nodes of these node arrays only. */
  readonly nodeArrays?: readonly string[];
  /** Who it is for, as far as the workload says. */
  readonly user?: string;
  readonly account?: string;
  readonly queue?: string;
  /** What its user called it. */
  readonly jobName?: string;
}

/** Records of a workload that were left out (or are remarkable), and why. */
export interface LeftOut {
  /** Such as `no run time above 0`. */
  readonly why: string;
  readonly count: number;
  /** The first of them, as people find them: `line 12`, `[3]`. */
  readonly where: readonly string[];
}

/** Jobs in the order of a queue: an array, or packed columns that build each job on access. */
export interface TraceJobs extends Iterable<TraceJob> {
  readonly length: number;
  /** Undefined behind the last. -1 is the last. */
  at(place: number): TraceJob | undefined;
}

/** A workload as it was read: jobs in the order of a first come, first served queue. */
export interface Workload {
  readonly jobs: TraceJobs;
  readonly leftOut: readonly LeftOut[];
  /** Records that are used, although something about them is odd. Absent: none. */
  readonly remarks?: readonly LeftOut[];
  /** Every job has its nodes for itself, whatever it asked for. */
  readonly wholeNodes?: boolean;
  /** Unix time at which its clock is 0. Absent: its clock is Unix time, or it does not say when it was. */
  readonly clockStartSeconds?: number;
}

/** Ten years. A run is simulated to its end, so one of centuries would fill the memory. */
export const mostRunSeconds = 10 * 365 * 86_400;

/** Why a job with this run time is left out; undefined: it can be used. */
export function runTimeProblem(runSeconds: number): string | undefined {
  if (runSeconds <= 0) return "no run time above 0";
  return runSeconds > mostRunSeconds ? "a run time of more than ten years" : undefined;
}

/** How many places are named for each reason. */
const mostPlaces = 5;

/** Counts records that are left out, by reason. */
export class LeftOutRecords {
  readonly #reasons = new Map<string, { count: number; readonly where: string[] }>();

  add(why: string, where: string): void {
    const reason = this.#reasons.get(why) ?? { count: 0, where: [] };
    reason.count += 1;
    if (reason.where.length < mostPlaces) reason.where.push(where);
    this.#reasons.set(why, reason);
  }

  list(): readonly LeftOut[] {
    return [...this.#reasons].map(([why, { count, where }]) => ({ why, count, where }));
  }
}
